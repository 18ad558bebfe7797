/**
 * The time of a change, later than that of the one before: so it is a version too, also where two changes
 * come in one millisecond or the clock was set back.
 */
export function laterThan(before: { readonly updatedAtMs: number } | undefined, nowMs: number): number {
  return before === undefined ? nowMs : Math.max(nowMs, before.updatedAtMs + 1);
}
