/** A start that failed for a reason that the operator can act on; the message says which and how. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** The `code` of a system error (`EADDRINUSE`), or undefined for anything else. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
