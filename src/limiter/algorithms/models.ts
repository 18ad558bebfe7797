import type { Algorithm, Limit } from '../limit.ts';
import type { AlgorithmModel } from './algorithm.ts';
import { type BucketState, gcra, leakyBucket, tokenBucket } from './bucket.ts';
import { type ConcurrencyState, concurrency } from './concurrency.ts';
import { type FixedWindowState, fixedWindow } from './fixed-window.ts';
import { type QuotaState, quota } from './quota.ts';
import { type SlidingLogState, slidingLog } from './sliding-log.ts';
import { type SlidingWindowState, slidingWindow } from './sliding-window.ts';

/** The state of one limit, whatever its algorithm: `algorithm` and `identity` are what it is known by. */
export type LimitState =
  | FixedWindowState
  | SlidingWindowState
  | SlidingLogState
  | BucketState
  | QuotaState
  | ConcurrencyState;

const MODELS = {
  fixed_window: fixedWindow,
  sliding_window: slidingWindow,
  sliding_log: slidingLog,
  token_bucket: tokenBucket,
  leaky_bucket: leakyBucket,
  gcra,
  quota,
  concurrency,
} as const;

/**
 * The model of an algorithm, to be given only states of that algorithm (plan.ts sees to it). The
 * cast is what TypeScript needs to let one call site serve a union of models.
 */
export function modelOf(algorithm: Algorithm): AlgorithmModel<LimitState, Limit> {
  return MODELS[algorithm] as unknown as AlgorithmModel<LimitState, Limit>;
}
