/** A revision, and when its change was made: epoch milliseconds, or null where the store doesn't say. */
export interface LoadedRevision {
  readonly revision: number;
  readonly revisedAtMs: number | null;
}

/** Whether the store has another change under this number now. Not known, and so false, where either time isn't. */
export function isReplaced(loaded: LoadedRevision, revisedAtMs: number | null): boolean {
  return loaded.revisedAtMs !== null && revisedAtMs !== null && loaded.revisedAtMs !== revisedAtMs;
}
