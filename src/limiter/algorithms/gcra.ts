import { ceilDiv, floorDiv } from '../integer.ts';
import type { Limit } from '../limit.ts';
import type { AlgorithmModel } from './algorithm.ts';

/**
 * The generic cell rate algorithm (ITU-T I.371, annex A) in its leaky-bucket form: a level that
 * rises by the cost and drains at `limit` per `windowMs`, admitting while it stays within `burst`.
 *
 * The level is an integer in units of 1/windowMs of a token: a token is `windowMs` units, and
 * `limit` units drain in a millisecond, so that no rate rounds to zero. What is kept is the level
 * with its time and rate rather than the customary arrival time: a changed limit then applies from
 * the change on, not to the time before it.
 */
export interface GcraState {
  readonly algorithm: 'gcra';
  readonly windowMs: number;
  readonly level: number;
  readonly timeMs: number;
  /** The limit under which the level drains since `timeMs`. */
  readonly rate: number;
}

export const gcra: AlgorithmModel<GcraState> = {
  stand({ limit, windowMs }, stored, nowMs) {
    const fresh = { algorithm: 'gcra', windowMs, level: 0, timeMs: nowMs, rate: limit } as const;
    if (stored === undefined) return { state: fresh, isReanchored: false };
    const level = drained(stored, nowMs);
    if (level === 0) return { state: fresh, isReanchored: false };
    return {
      state: { ...fresh, level },
      isReanchored: stored.timeMs > nowMs || stored.rate !== limit,
    };
  },

  admits: (limit, { level }, cost) => level <= (limit.burst - cost) * limit.windowMs,

  consume: ({ windowMs }, state, cost) => ({ ...state, level: state.level + cost * windowMs }),

  remaining: (limit, { level }) => Math.max(0, floorDiv(roomOf(limit) - level, limit.windowMs)),

  wholeAtMs: ({ limit }, { level }, nowMs) => nowMs + ceilDiv(level, limit),

  retryAtMs: ({ limit, burst, windowMs }, { level }, cost, nowMs) =>
    nowMs + ceilDiv(level - (burst - cost) * windowMs, limit),
};

function roomOf({ burst, windowMs }: Limit): number {
  return burst * windowMs;
}

/** Never multiplies before it knows that the product stays below the level. */
function drained({ level, timeMs, rate }: GcraState, nowMs: number): number {
  const elapsedMs = nowMs - timeMs;
  if (elapsedMs <= 0 || rate === 0) return level;
  return elapsedMs >= ceilDiv(level, rate) ? 0 : level - elapsedMs * rate;
}
