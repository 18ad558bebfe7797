/** Counters can't be moved into this Redis. The message says why and what to do. */
export class MoveError extends Error {
  override readonly name = 'MoveError';
}
