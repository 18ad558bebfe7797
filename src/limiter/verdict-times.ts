import { NEVER, NOW } from './algorithms/algorithm.ts';

export function timeOrNull(timeMs: number): number | null {
  return timeMs === NEVER ? null : timeMs;
}

/** Whole seconds, rounded up and at least 1, so that nobody is called back too early. */
export function secondsUntil(timeMs: number, nowMs: number): number | null {
  return timeMs === NEVER || timeMs === NOW ? null : Math.max(1, Math.ceil((timeMs - nowMs) / 1000));
}
