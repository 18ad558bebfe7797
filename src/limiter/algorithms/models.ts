import type { Algorithm } from '../limit.ts';
import type { AlgorithmModel } from './algorithm.ts';
import { type FixedWindowState, fixedWindow } from './fixed-window.ts';
import { type GcraState, gcra } from './gcra.ts';
import { type SlidingLogState, slidingLog } from './sliding-log.ts';

/** The state of one limit, whatever its algorithm. Algorithm and window are its identity. */
export type LimitState = FixedWindowState | SlidingLogState | GcraState;

const MODELS = { fixed_window: fixedWindow, sliding_log: slidingLog, gcra } as const;

/**
 * The model of an algorithm, to be given only states of that algorithm (plan.ts sees to it). The
 * cast is what TypeScript needs to let one call site serve a union of models.
 */
export function modelOf(algorithm: Algorithm): AlgorithmModel<LimitState> {
  return MODELS[algorithm] as unknown as AlgorithmModel<LimitState>;
}
