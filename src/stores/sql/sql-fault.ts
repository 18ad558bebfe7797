import { BrumeError } from '../../errors/catalogue.ts';
import { SqliteFault } from './sqlite-fault.ts';

const SQLSTATE = /^[0-9A-Z]{5}$/;
const POSTGRES_QUERY_CANCELED = '57014';
const POSTGRES_COMPLETION_UNKNOWN = '40003';
/**
 * The disk is full; read-only, as a standby is (its word for a transaction that would write is that this
 * is not supported); an error of the disk; no privilege to write.
 */
const POSTGRES_NOT_WRITABLE: readonly string[] = ['53100', '25006', '0A000', '58030', '42501'];
const POSTGRES_UNDEFINED_TABLE = '42P01';
const POSTGRES_UNIQUE_VIOLATION = '23505';
/** SQLITE_CONSTRAINT_PRIMARYKEY, SQLITE_CONSTRAINT_UNIQUE. */
const SQLITE_UNIQUE_VIOLATIONS: readonly number[] = [1555, 2067];

/** Any fault of a driver as an error of the catalogue; errors that are one already stay as they are. */
export function sqlFault(error: unknown): BrumeError {
  if (error instanceof BrumeError) return error;
  if (property(error, 'code') === POSTGRES_UNIQUE_VIOLATION)
    return new BrumeError('conflict', { cause: error });
  if (error instanceof SqliteFault) {
    if (SQLITE_UNIQUE_VIOLATIONS.includes(error.errcode)) return new BrumeError('conflict', { cause: error });
    if (error.isUnsafeInteger) return new BrumeError('internal', { cause: error });
  }
  return new BrumeError('store_unavailable', { cause: error });
}

/** PostgreSQL itself refused: the connection is sound and the transaction can be rolled back. */
export function isPostgresRefusal(error: unknown): boolean {
  const code = property(error, 'code');
  if (typeof code !== 'string' || !SQLSTATE.test(code)) return false;
  // Class 08: connection; 57P01 to 57P05: the server closes this session.
  return !code.startsWith('08') && !code.startsWith('57P');
}

/** Of an error of `Sql`: the database refused to commit, so that nothing of the transaction stays. */
export function isRefusedCommit(error: unknown): boolean {
  const cause = error instanceof BrumeError ? error.cause : undefined;
  if (cause instanceof SqliteFault) return cause.isRefusal;
  return isPostgresRefusal(cause) && property(cause, 'code') !== POSTGRES_COMPLETION_UNKNOWN;
}

/** Of an error of `Sql`: the database answers, and can't be written. */
export function isNotWritable(error: unknown): boolean {
  const cause = error instanceof BrumeError ? error.cause : undefined;
  if (cause instanceof SqliteFault) return cause.isNotWritable;
  return POSTGRES_NOT_WRITABLE.includes(String(property(cause, 'code')));
}

/** The same error, of which it is known that nothing was changed. */
export function undone(error: unknown): unknown {
  if (!(error instanceof BrumeError) || error.code !== 'store_unavailable' || error.isUndone) return error;
  const { field, detail, retryAfterS, cause } = error;
  return new BrumeError(error.code, {
    ...(field !== undefined && { field }),
    ...(detail !== undefined && { detail }),
    ...(retryAfterS !== undefined && { retryAfterS }),
    cause,
    isUndone: true,
  });
}

/** PostgreSQL ended a statement since it took too long, a wait for a lock included. */
export function isPostgresTimeout(error: unknown): boolean {
  return property(error, 'code') === POSTGRES_QUERY_CANCELED;
}

/** Of an error of the catalogue: a statement asked a table that isn't there. */
export function isPostgresTableMissing(error: unknown): boolean {
  return error instanceof BrumeError && property(error.cause, 'code') === POSTGRES_UNDEFINED_TABLE;
}

function property(error: unknown, name: string): unknown {
  return typeof error === 'object' && error !== null ? Reflect.get(error, name) : undefined;
}
