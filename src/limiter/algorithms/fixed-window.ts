import { cappedSum } from '../integer.ts';
import type { AlgorithmModel } from './algorithm.ts';

/** One counter for each window; windows are multiples of `windowMs` since the epoch. */
export interface FixedWindowState {
  readonly algorithm: 'fixed_window';
  readonly identity: number;
  readonly startMs: number;
  readonly used: number;
}

export const fixedWindow: AlgorithmModel<FixedWindowState> = {
  stand({ windowMs }, stored, nowMs) {
    const startMs = nowMs - (nowMs % windowMs);
    if (stored === undefined || stored.startMs < startMs) {
      return {
        state: { algorithm: 'fixed_window', identity: windowMs, startMs, used: 0 },
        isReanchored: false,
      };
    }
    if (stored.startMs > startMs) return { state: { ...stored, startMs }, isReanchored: true };
    return { state: stored, isReanchored: false };
  },

  admits: ({ limit }, { used }, cost) => cost <= limit - used,

  consume: (_limit, state, cost) => ({ ...state, used: state.used + cost }),

  charge: (_limit, state, amount) => ({ ...state, used: cappedSum(state.used, amount) }),

  giveBack: (_limit, state, { amount, madeMs }) =>
    madeMs >= state.startMs ? { ...state, used: Math.max(0, state.used - amount) } : state,

  remaining: ({ limit }, { used }) => Math.max(0, limit - used),

  wholeAtMs: ({ windowMs }, { startMs, used }, nowMs) => (used > 0 ? startMs + windowMs : nowMs),

  retryAtMs: ({ windowMs }, { startMs }) => startMs + windowMs,
};
