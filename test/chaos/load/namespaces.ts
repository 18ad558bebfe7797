import type { Checkpoints } from '../model/ledger.ts';
import type { Rate } from '../model/rate.ts';

/** Outlasts any run, by its first day too: what was used is not renewed meanwhile. */
const LONG_MS = 300 * 24 * 3_600_000;

/** As the management API takes it. */
interface LimitOfRule {
  readonly algorithm: string;
  readonly limit: number;
  readonly windowMs: number;
  readonly burst?: number;
}

/** Of Brume. */
export const NODES = 2;

export type Policy = 'open' | 'closed' | 'local';

/** One whose counts are followed exactly. */
export interface CountedNamespace {
  readonly name: string;
  readonly rule: object;
  readonly policy: Policy;
  readonly limit: number;
  /** What was lost comes back, from checkpoints or from a node that judged by itself. */
  readonly isGivenBack: boolean;
  /** Of a quota. */
  readonly checkpoints?: Checkpoints;
}

export interface RatedNamespace {
  readonly name: string;
  readonly rule: object;
  readonly policy: Policy;
  readonly rate: Rate;
}

function counted(name: string, policy: Policy, limit: LimitOfRule): CountedNamespace {
  const rule = { limits: [limit], onStoreFailure: policy };
  return { name, rule, policy, limit: limit.limit, isGivenBack: policy === 'local' };
}

const LIMIT = 40;
const windowMs = LONG_MS;

/** Of an identifier each spends a limit that isn't renewed, and is then asked on. */
export const COUNTED: readonly CountedNamespace[] = [
  counted('fixed-open', 'open', { algorithm: 'fixed_window', limit: LIMIT, windowMs }),
  counted('sliding-closed', 'closed', { algorithm: 'sliding_window', limit: LIMIT, windowMs }),
  counted('log-open', 'open', { algorithm: 'sliding_log', limit: LIMIT, windowMs }),
  counted('token-closed', 'closed', { algorithm: 'token_bucket', limit: LIMIT, windowMs }),
  counted('gcra-open', 'open', { algorithm: 'gcra', limit: LIMIT, windowMs }),
  counted('leaky-closed', 'closed', { algorithm: 'leaky_bucket', limit: LIMIT, windowMs }),
  counted('fixed-local', 'local', { algorithm: 'fixed_window', limit: LIMIT, windowMs }),
  counted('token-local', 'local', { algorithm: 'token_bucket', limit: LIMIT, windowMs }),
  {
    name: 'quota-open',
    rule: { quotas: [{ limit: LIMIT, period: 'never' }], onStoreFailure: 'open' },
    policy: 'open',
    limit: LIMIT,
    isGivenBack: true,
    // Written each second, at a node that may be busy.
    checkpoints: { writtenWithinMs: 2500, restoredWithinMs: 6000 },
  },
];

/** Their windows pass many times in a run. */
export const RATED: readonly RatedNamespace[] = [
  rated('brief-fixed', 'open', { algorithm: 'fixed_window', limit: 8, windowMs: 1000 }, 'fixed'),
  rated('brief-log', 'closed', { algorithm: 'sliding_log', limit: 8, windowMs: 1500 }, 'any'),
  rated('brief-token', 'open', { algorithm: 'token_bucket', limit: 10, windowMs: 1000, burst: 5 }, 'bucket'),
];

function rated(name: string, policy: Policy, limit: LimitOfRule, kind: Rate['kind']): RatedNamespace {
  const { limit: most, windowMs, burst = most } = limit;
  const rate: Rate =
    kind === 'bucket' ? { kind, limit: most, windowMs, burst } : { kind, limit: most, windowMs };
  return { name, rule: { limits: [limit], onStoreFailure: policy }, policy, rate };
}

export const FORWARDED: CountedNamespace = {
  ...counted('forwarded', 'closed', { algorithm: 'gcra', limit: LIMIT, windowMs }),
  rule: {
    limits: [{ algorithm: 'gcra', limit: LIMIT, windowMs }],
    onStoreFailure: 'closed',
    identifyBy: 'header:X-User',
  },
};

export const PLACES = {
  name: 'places',
  limit: 6,
  rule: { limits: [{ algorithm: 'concurrency', limit: 6, ttlMs: 120_000 }], onStoreFailure: 'open' },
} as const;

/** With `villain` blocked and `saint` exempt. */
export const GUARDED = {
  name: 'guarded',
  policy: 'closed',
  rule: { limits: [{ algorithm: 'fixed_window', limit: 1, windowMs }], onStoreFailure: 'closed' },
} as const;

export const RULES: Readonly<Record<string, object>> = Object.fromEntries(
  [...COUNTED, ...RATED, FORWARDED, PLACES, GUARDED].map(({ name, rule }) => [name, rule]),
);
