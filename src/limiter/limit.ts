/**
 * A limit is one line of a rule: an algorithm and its numbers. Its state in a store belongs to its
 * name; algorithm and window are the state's identity (another value starts afresh), `limit` and
 * `burst` may change under a living state.
 */
export const ALGORITHMS = [
  'fixed_window',
  'sliding_window',
  'sliding_log',
  'token_bucket',
  'leaky_bucket',
  'gcra',
] as const;
export type Algorithm = (typeof ALGORITHMS)[number];

export interface Limit {
  /** Unique within its rule; `[a-z0-9][a-z0-9._-]{0,63}`. */
  readonly name: string;
  readonly algorithm: Algorithm;
  /** What passes in a window; 0 denies all. Integer from 0 to 2^53-1 (sliding_log: to 10,000). */
  readonly limit: number;
  /** Milliseconds, 1 to 31,622,400,000 (366 days). */
  readonly windowMs: number;
  /** Of a bucket: the capacity, the most that passes at once. Equals `limit` (at least 1) for the others. */
  readonly burst: number;
}

export const LIMIT_MAX = Number.MAX_SAFE_INTEGER;
export const COST_MAX = Number.MAX_SAFE_INTEGER;
export const SLIDING_LOG_LIMIT_MAX = 10_000;
export const WINDOW_MS_MAX = 366 * 24 * 3600 * 1000;
/**
 * A bucket's level is an integer in units of 1/windowMs of a token, at most burst × windowMs. The
 * bound leaves room for a Unix time on top, so that `reset` stays an exact integer too.
 */
export const BUCKET_UNITS_MAX = 2 ** 52;

/** The algorithms that have a burst. */
export function isBucket(algorithm: Algorithm): boolean {
  return algorithm === 'gcra' || algorithm === 'token_bucket' || algorithm === 'leaky_bucket';
}

/** The largest cost that can ever pass. */
export function capacityOf(limit: Limit): number {
  return isBucket(limit.algorithm) ? limit.burst : limit.limit;
}
