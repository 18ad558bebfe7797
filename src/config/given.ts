/** A text that somebody gave, and where: `environment`, or a file and its line. */
export interface Given {
  readonly text: string;
  readonly where: string;
}
