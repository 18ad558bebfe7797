/** A fault in a file, its place counted from 1. */
export interface InputFault {
  readonly line: number;
  readonly column: number;
  readonly text: string;
}

/** What a command was given to read has faults: exit code 2. */
export class InputFaultsError extends Error {
  override readonly name = 'InputFaultsError';
  readonly faults: readonly InputFault[];

  constructor(file: string, faults: readonly InputFault[]) {
    const lines = faults.map(({ line, column, text }) => `${file}:${line}:${column}: ${text}`);
    super(
      `${faults.length === 1 ? 'a fault' : 'faults'} in what was to be read; nothing was changed.\n${lines.join('\n')}`,
    );
    this.faults = faults;
  }
}
