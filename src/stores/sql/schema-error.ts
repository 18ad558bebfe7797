/** This executable can't work with the schema it found. The message says why and what to do. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
}
