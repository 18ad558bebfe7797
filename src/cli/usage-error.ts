/** The command line can't be understood as it was given: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
