/** A JSON schema fragment for one setting's text, as env-schema (Ajv) checks it. */
type SchemaFragment = Readonly<Record<string, unknown>>;

/** What a setting's text may be and what it becomes. */
export interface Kind<Value> {
  /** Completes "Expected: …". */
  readonly expected: string;
  readonly schema: SchemaFragment;
  /**
   * What is wrong with a text, as the end of a sentence that begins with the setting; undefined if
   * nothing is. Never contains the text of a secret.
   */
  fault(text: string): string | undefined;
  /** Turns what the schema let through into the value that `Config` holds. */
  value(checked: unknown): Value;
}

/** The text of a setting in a message: quoted, cut where it is long, without a URL's credentials. */
export function quoted(text: string): string {
  const shown = text.replace(/\/\/[^/@]*@/g, '//…@');
  return JSON.stringify(shown.length > 80 ? `${shown.slice(0, 80)}…` : shown);
}
