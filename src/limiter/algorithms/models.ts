import type { Algorithm } from '../limit.ts';
import type { AlgorithmModel } from './algorithm.ts';
import { type BucketState, gcra, leakyBucket, tokenBucket } from './bucket.ts';
import { type FixedWindowState, fixedWindow } from './fixed-window.ts';
import { type SlidingLogState, slidingLog } from './sliding-log.ts';
import { type SlidingWindowState, slidingWindow } from './sliding-window.ts';

/** The state of one limit, whatever its algorithm. Algorithm and window are its identity. */
export type LimitState = FixedWindowState | SlidingWindowState | SlidingLogState | BucketState;

const MODELS = {
  fixed_window: fixedWindow,
  sliding_window: slidingWindow,
  sliding_log: slidingLog,
  token_bucket: tokenBucket,
  leaky_bucket: leakyBucket,
  gcra,
} as const;

/**
 * The model of an algorithm, to be given only states of that algorithm (plan.ts sees to it). The
 * cast is what TypeScript needs to let one call site serve a union of models.
 */
export function modelOf(algorithm: Algorithm): AlgorithmModel<LimitState> {
  return MODELS[algorithm] as unknown as AlgorithmModel<LimitState>;
}
