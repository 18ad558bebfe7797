import { BrumeError } from '../errors/catalogue.ts';
import { MoveError } from '../stores/redis/move-error.ts';
import { SchemaError } from '../stores/sql/schema-error.ts';
import { StateDirError } from '../stores/sql/state-dir-error.ts';
import { OperationError } from './operation-error.ts';

/** A fault of a store as one that the operator can act on; any other error as it is. */
export function operatorError(error: unknown): unknown {
  if (error instanceof SchemaError)
    return new OperationError(`The schema: ${error.message}`, { cause: error });
  if (error instanceof StateDirError || error instanceof MoveError)
    return new OperationError(error.message, { cause: error });
  if (!(error instanceof BrumeError) || error.code !== 'store_unavailable') return error;
  const reason = error.cause instanceof Error && error.cause.message !== '' ? `: ${error.cause.message}` : '';
  return new OperationError(`The configuration store can't be used${reason}`, { cause: error });
}
