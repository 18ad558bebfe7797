import type { CounterCheck, LimitSet } from '../../src/limiter/counters.ts';
import { WINDOW_ALGORITHMS } from '../../src/limiter/limit.ts';
import { newToken } from '../../src/limiter/sealed-id.ts';
import { quotaOf, setOf } from '../../test/support/counter-engines.ts';
import { STEPS_PER_WINDOW } from './loads.ts';

/** What an algorithm promises, and how to ask for it. */
export interface Promised {
  readonly name: string;
  readonly windowMs: number;
  readonly set: LimitSet;
  /** The windows in which it promises something: those of the clock, or any. */
  readonly windows: 'its own' | 'any';
  /** The most that it admits in such a window. */
  readonly most: number;
}

export const LIMIT = 100;
const WINDOW_MS = 10_000;
const HOUR_MS = 3_600_000;
/** Small, so that it shows that a burst is the burst, and not the limit. */
const BURST = 20;

/** Any window is as long as the limit's, and holds one of its two ends. */
const MOST = {
  fixed_window: LIMIT,
  sliding_window: 2 * LIMIT - 1,
  sliding_log: LIMIT,
  token_bucket: BURST + LIMIT - 1,
  leaky_bucket: BURST + LIMIT - 1,
  gcra: BURST + LIMIT - 1,
} as const;

export const PROMISED: readonly Promised[] = [
  ...WINDOW_ALGORITHMS.map(
    (algorithm): Promised => ({
      name: algorithm,
      windowMs: WINDOW_MS,
      set: setOf({ algorithm, limit: LIMIT, windowMs: WINDOW_MS, burst: BURST }),
      windows: algorithm === 'fixed_window' ? 'its own' : 'any',
      most: MOST[algorithm],
    }),
  ),
  { name: 'quota', windowMs: HOUR_MS, set: setOf(quotaOf(LIMIT, 'hour')), windows: 'its own', most: LIMIT },
  {
    name: 'concurrency',
    windowMs: WINDOW_MS,
    set: {
      limits: [
        {
          name: 'places',
          mode: 'enforce',
          algorithm: 'concurrency',
          limit: LIMIT,
          ttlMs: WINDOW_MS,
          identity: 0,
        },
      ],
    },
    windows: 'any',
    most: LIMIT,
  },
];

/** Nobody gives a place back: a lease then counts for as long as an entry of the sliding log. */
export function holderFor({ name, windowMs }: Promised): Partial<CounterCheck> {
  return name === 'concurrency' ? { holder: newToken(windowMs) } : {};
}

/** The most that was admitted in one window of the clock, and in any window; given by step. */
export function mostAdmitted(admitted: readonly number[]): { own: number; any: number } {
  let own = 0;
  let any = 0;
  let inOwn = 0;
  let inAny = 0;
  admitted.forEach((count, step) => {
    inOwn = step % STEPS_PER_WINDOW === 0 ? count : inOwn + count;
    inAny += count - (admitted[step - STEPS_PER_WINDOW] ?? 0);
    own = Math.max(own, inOwn);
    any = Math.max(any, inAny);
  });
  return { own, any };
}
