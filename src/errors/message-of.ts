/** What is thrown need not be an Error; this is what it says in any case. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
