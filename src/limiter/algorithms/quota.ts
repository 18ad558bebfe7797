import { ENDLESS_MS } from '../calendar.ts';
import type { QuotaLimit } from '../limit.ts';
import { type AlgorithmModel, NEVER } from './algorithm.ts';
import { plainCount } from './count.ts';

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
  ...plainCount<QuotaState, QuotaLimit>(),

  stand({ calendar, identity }, stored, nowMs) {
    const { startMs, endMs } = calendar.edgesAt(nowMs);
    const used = stored === undefined || stored.startMs < startMs ? 0 : stored.used;
    return {
      state: { algorithm: 'quota', identity, startMs, endMs, used },
      isReanchored: used > 0 && stored !== undefined && stored.startMs > startMs,
    };
  },

  wholeAtMs: (_limit, { endMs, used }, nowMs) => (used > 0 ? endOf(endMs) : nowMs),

  retryAtMs: (_limit, { endMs }) => endOf(endMs),
};

function endOf(endMs: number): number {
  return endMs === ENDLESS_MS ? NEVER : endMs;
}
