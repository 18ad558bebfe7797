import type { CounterCheck, LimitSet } from '../../src/limiter/counters.ts';
import { isBucket, WINDOW_ALGORITHMS } from '../../src/limiter/limit.ts';
import { quotaOf, setOf } from '../../test/support/counter-engines.ts';

/** An algorithm as it is drawn. */
export interface Subject {
  readonly name: string;
  readonly heading: string;
  readonly set: LimitSet;
  /** Three of these are drawn, each in ten columns. */
  readonly windowMs: number;
  /** How a moment is written below the axis. */
  label(windows: number): string;
  more(request: number): Partial<CounterCheck>;
}

const LIMIT = 10;
const BURST = 5;
const WINDOW_MS = 10_000;
const WORK_MS = 4000;
const HOUR_MS = 3_600_000;

const inSeconds = { windowMs: WINDOW_MS, label: (windows: number) => `${windows * 10} s`, more: () => ({}) };

export const SUBJECTS: readonly Subject[] = [
  ...WINDOW_ALGORITHMS.map((algorithm) => ({
    name: algorithm,
    heading: `${algorithm}: ${LIMIT} in 10 s${isBucket(algorithm) ? `, burst ${BURST}` : ''}`,
    set: setOf({ algorithm, limit: LIMIT, windowMs: WINDOW_MS, burst: BURST }),
    ...inSeconds,
  })),
  {
    name: 'quota',
    heading: `quota: ${LIMIT} per hour`,
    set: setOf(quotaOf(LIMIT, 'hour')),
    windowMs: HOUR_MS,
    label: (windows) => `${windows} h`,
    more: () => ({}),
  },
  {
    name: 'concurrency',
    heading: `concurrency: ${BURST} at the same time, each for 4 s`,
    set: {
      limits: [
        {
          name: 'places',
          mode: 'enforce',
          algorithm: 'concurrency',
          limit: BURST,
          ttlMs: WORK_MS,
          identity: 0,
        },
      ],
    },
    ...inSeconds,
    more: (request) => ({ holder: `${request}:${WORK_MS}` }),
  },
];
