/** An operation that could not be done, for a reason that the operator can act on; the message has it. */
export class OperationError extends Error {
  override readonly name = 'OperationError';
}
