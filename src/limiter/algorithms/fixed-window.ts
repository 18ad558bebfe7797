import type { WindowLimit } from '../limit.ts';
import type { AlgorithmModel } from './algorithm.ts';
import { plainCount } from './count.ts';

/** One counter for each window; windows are multiples of `windowMs` since the epoch. */
export interface FixedWindowState {
  readonly algorithm: 'fixed_window';
  readonly identity: number;
  readonly startMs: number;
  readonly used: number;
}

export const fixedWindow: AlgorithmModel<FixedWindowState> = {
  ...plainCount<FixedWindowState, WindowLimit>(),

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

  wholeAtMs: ({ windowMs }, { startMs, used }, nowMs) => (used > 0 ? startMs + windowMs : nowMs),

  retryAtMs: ({ windowMs }, { startMs }) => startMs + windowMs,
};
