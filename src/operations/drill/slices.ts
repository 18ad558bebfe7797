import type { Sample } from './load.ts';

/** What came of the checks that were due in a tenth of a second. */
export interface Slice {
  /** Milliseconds from the load's beginning. */
  readonly atMs: number;
  readonly counted: number;
  readonly degraded: number;
  readonly lost: number;
  readonly slowestMs: number;
}

const SLICE_MS = 100;

export function slicesOf(samples: readonly Sample[], beganMs: number): Slice[] {
  const last = Math.max(0, ...samples.map(({ dueMs }) => dueMs - beganMs));
  const slices = Array.from({ length: Math.floor(last / SLICE_MS) + 1 }, (_, index) => ({
    atMs: index * SLICE_MS,
    counted: 0,
    degraded: 0,
    lost: 0,
    slowestMs: 0,
  }));
  for (const { dueMs, endMs, fault, isDegraded } of samples) {
    const slice = slices[Math.floor((dueMs - beganMs) / SLICE_MS)];
    if (slice === undefined) continue;
    if (fault !== null) slice.lost++;
    else if (isDegraded) slice.degraded++;
    else slice.counted++;
    slice.slowestMs = Math.max(slice.slowestMs, Math.round(endMs - dueMs));
  }
  return slices;
}
