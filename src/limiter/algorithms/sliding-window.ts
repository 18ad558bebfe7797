import { cappedSum, floorDiv } from '../integer.ts';
import { BUCKET_UNITS_MAX, type WindowLimit } from '../limit.ts';
import type { AlgorithmModel } from './algorithm.ts';

/**
 * Two counters, of this window and the one before it, the latter weighted by how much of it the
 * last `windowMs` still cover. Approximate: it takes what passed before to have come evenly.
 *
 * The estimate is an integer in units of 1/windowMs of a request, so that the weight is never
 * floored: with a floored weight a limit of 1 would deny for ever, and every limit admit too much.
 */
export interface SlidingWindowState {
  readonly algorithm: 'sliding_window';
  readonly identity: number;
  /** Start of the current window, a multiple of windowMs since the epoch. */
  readonly startMs: number;
  readonly used: number;
  readonly usedBefore: number;
  /** How much of the current window has passed; not stored. */
  readonly elapsedMs: number;
}

export const slidingWindow: AlgorithmModel<SlidingWindowState> = {
  stand({ windowMs }, stored, nowMs) {
    const elapsedMs = nowMs % windowMs;
    const startMs = nowMs - elapsedMs;
    const counts = countsAt(stored, startMs, windowMs);
    return {
      state: { algorithm: 'sliding_window', identity: windowMs, startMs, elapsedMs, ...counts },
      isReanchored: stored !== undefined && stored.startMs > startMs,
    };
  },

  admits: (limit, state, cost) => estimateOf(limit, state) <= roomFor(limit, cost),

  consume: (_limit, state, cost) => ({ ...state, used: state.used + cost }),

  /** Both windows together stay within what the estimate can express. */
  charge({ windowMs }, state, amount) {
    const usedMax = Math.max(state.used, floorDiv(BUCKET_UNITS_MAX, windowMs) - state.usedBefore);
    return { ...state, used: Math.min(usedMax, cappedSum(state.used, amount)) };
  },

  add({ windowMs }, state, counted) {
    const usedMax = floorDiv(BUCKET_UNITS_MAX, windowMs);
    const beforeMax = Math.max(state.usedBefore, usedMax - state.used);
    const usedBefore = Math.min(beforeMax, cappedSum(state.usedBefore, counted.usedBefore));
    const used = Math.min(Math.max(state.used, usedMax - usedBefore), cappedSum(state.used, counted.used));
    return { ...state, used, usedBefore };
  },

  giveBack({ windowMs }, state, { amount, madeMs }) {
    const { startMs, used, usedBefore } = state;
    if (madeMs >= startMs) return { ...state, used: Math.max(0, used - amount) };
    return madeMs >= startMs - windowMs ? { ...state, usedBefore: Math.max(0, usedBefore - amount) } : state;
  },

  remaining: (limit, state) =>
    Math.max(0, floorDiv(roomFor(limit, 0) - estimateOf(limit, state), limit.windowMs)),

  wholeAtMs({ windowMs }, { startMs, used, usedBefore }, nowMs) {
    if (used > 0) return startMs + 2 * windowMs;
    return usedBefore > 0 ? startMs + windowMs : nowMs;
  },

  retryAtMs(limit, { startMs, used, usedBefore }, cost) {
    const { windowMs } = limit;
    const room = roomFor(limit, cost);
    const roomBefore = room - used * windowMs;
    // In this window, once enough of the one before has slid out; if that never is enough, in the
    // next, where what this one holds slides out in its turn.
    return roomBefore >= 0
      ? startMs + windowMs - floorDiv(roomBefore, usedBefore)
      : startMs + 2 * windowMs - floorDiv(room, used);
  },
};

function countsAt(stored: SlidingWindowState | undefined, startMs: number, windowMs: number) {
  if (stored === undefined || stored.startMs < startMs - windowMs) return { used: 0, usedBefore: 0 };
  if (stored.startMs < startMs) return { used: 0, usedBefore: stored.used };
  return { used: stored.used, usedBefore: stored.usedBefore };
}

function estimateOf({ windowMs }: WindowLimit, { used, usedBefore, elapsedMs }: SlidingWindowState): number {
  return used * windowMs + usedBefore * (windowMs - elapsedMs);
}

function roomFor({ limit, windowMs }: WindowLimit, cost: number): number {
  return (limit - cost) * windowMs;
}
