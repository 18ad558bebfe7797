import { ENDLESS_MS } from '../calendar.ts';
import { cappedSum } from '../integer.ts';
import type { QuotaLimit } from '../limit.ts';
import { type AlgorithmModel, NEVER } from './algorithm.ts';

/** One counter for each period of a calendar. */
export interface QuotaState {
  readonly algorithm: 'quota';
  readonly identity: number;
  readonly startMs: number;
  readonly used: number;
  /** End of the period; not stored. */
  readonly endMs: number;
}

export const quota: AlgorithmModel<QuotaState, QuotaLimit> = {
  stand({ calendar, identity }, stored, nowMs) {
    const { startMs, endMs } = calendar.edgesAt(nowMs);
    const used = stored === undefined || stored.startMs < startMs ? 0 : stored.used;
    return {
      state: { algorithm: 'quota', identity, startMs, endMs, used },
      isReanchored: used > 0 && stored !== undefined && stored.startMs > startMs,
    };
  },

  admits: ({ limit }, { used }, cost) => cost <= limit - used,

  consume: (_limit, state, cost) => ({ ...state, used: state.used + cost }),

  charge: (_limit, state, amount) => ({ ...state, used: cappedSum(state.used, amount) }),

  giveBack: (_limit, state, { amount, madeMs }) =>
    madeMs >= state.startMs ? { ...state, used: Math.max(0, state.used - amount) } : state,

  remaining: ({ limit }, { used }) => Math.max(0, limit - used),

  wholeAtMs: (_limit, { endMs, used }, nowMs) => (used > 0 ? endOf(endMs) : nowMs),

  retryAtMs: (_limit, { endMs }) => endOf(endMs),
};

function endOf(endMs: number): number {
  return endMs === ENDLESS_MS ? NEVER : endMs;
}
