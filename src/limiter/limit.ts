import type { Calendar } from './calendar.ts';

/**
 * A limit is one line of a rule: an algorithm and its numbers. Its state in a store belongs to its
 * name; algorithm and window (or calendar) are the state's identity, and another value starts
 * afresh; `limit` and `burst` may change under a living state.
 */
export type Limit = WindowLimit | QuotaLimit | ConcurrencyLimit;

export const WINDOW_ALGORITHMS = [
  'fixed_window',
  'sliding_window',
  'sliding_log',
  'token_bucket',
  'leaky_bucket',
  'gcra',
] as const;
export type WindowAlgorithm = (typeof WINDOW_ALGORITHMS)[number];

/**
 * How something is counted: `quota` is a counter for each period of a calendar, `concurrency` the
 * places that are held by leases.
 */
export type Algorithm = WindowAlgorithm | 'quota' | 'concurrency';

/** `shadow`: evaluated, counted and reported, but never denies. A limit that is off is left out. */
export const MODES = ['enforce', 'shadow'] as const;
export type Mode = (typeof MODES)[number];

interface AnyLimit {
  /** Unique within its rule; `[a-z0-9][a-z0-9._-]{0,63}`. */
  readonly name: string;
  readonly mode: Mode;
  /** What passes in a window or period; 0 denies all. Integer, 0 to 2^53-1 (sliding_log: to 10,000). */
  readonly limit: number;
  /** What a stored state is recognised by, beside name and algorithm: the window, or the calendar's id. */
  readonly identity: number;
}

export interface WindowLimit extends AnyLimit {
  readonly algorithm: WindowAlgorithm;
  /** Milliseconds, 1 to 31,622,400,000 (366 days). */
  readonly windowMs: number;
  /** Of a bucket: the capacity, the most that passes at once. Equals `limit` (at least 1) for the others. */
  readonly burst: number;
}

export interface QuotaLimit extends AnyLimit {
  readonly algorithm: 'quota';
  readonly calendar: Calendar;
}

/** Places that are held at the same time; at most one such limit in a rule. */
export interface ConcurrencyLimit extends AnyLimit {
  readonly algorithm: 'concurrency';
  /** How long a lease is held unless it is renewed; milliseconds, 1,000 to 86,400,000 (a day). */
  readonly ttlMs: number;
}

export const LEASE_TTL_MS_MIN = 1000;
export const LEASE_TTL_MS_MAX = 24 * 3600 * 1000;

export const LIMIT_MAX = Number.MAX_SAFE_INTEGER;
export const COST_MAX = Number.MAX_SAFE_INTEGER;
export const SLIDING_LOG_LIMIT_MAX = 10_000;
export const WINDOW_MS_MAX = 366 * 24 * 3600 * 1000;
/**
 * A bucket's level is an integer in units of 1/windowMs of a token, at most burst × windowMs, and a
 * sliding window's estimate likewise. The bound leaves room for a Unix time on top, so that `reset`
 * stays an exact integer too.
 */
export const BUCKET_UNITS_MAX = 2 ** 52;

/** The algorithms that have a burst. */
export function isBucket(algorithm: Algorithm): boolean {
  return algorithm === 'gcra' || algorithm === 'token_bucket' || algorithm === 'leaky_bucket';
}

/** The largest cost that can ever pass. */
export function capacityOf(limit: Limit): number {
  return 'burst' in limit && isBucket(limit.algorithm) ? limit.burst : limit.limit;
}
