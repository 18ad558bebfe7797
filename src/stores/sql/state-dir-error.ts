/** The state directory can't be used. The message says which one, why, and what to do. */
export class StateDirError extends Error {
  override readonly name = 'StateDirError';

  constructor(message: string, cause: unknown) {
    const reason = cause instanceof Error ? `${message} (${cause.message})` : message;
    super(reason, { cause });
  }
}
