import { BrumeError, type ErrorCode } from '../../src/errors/catalogue.ts';

/** For assert.throws and assert.rejects: a BrumeError of this code, about this field if one is given. */
export function brumeError(code: ErrorCode, field?: string): (error: unknown) => boolean {
  return (error) => {
    if (!(error instanceof BrumeError)) throw error;
    const found = { code: error.code, field: error.field };
    const isRight = error.code === code && (field === undefined || error.field === field);
    if (!isRight)
      throw new Error(`expected ${code} ${field ?? ''}, got ${JSON.stringify(found)}`, { cause: error });
    return true;
  };
}
