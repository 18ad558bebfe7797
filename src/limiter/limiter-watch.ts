import type { Check } from './check.ts';
import type { Verdict } from './verdict.ts';

/** Told of what is decided, on the way of every check: its methods must be quick and must not throw. */
export interface LimiterWatch {
  /** Milliseconds from an arbitrary start; never goes back. */
  monotonicMs(): number;
  /** How long the counters took for a call, until their answer or their fault. */
  onStoreAnswer(durationMs: number): void;
  /** Peeks too. `isRepeated`: it is the answer that the same request id got before, and nothing was consumed. */
  onVerdict(check: Check, verdict: Verdict, isRepeated: boolean): void;
}

export const UNWATCHED: LimiterWatch = {
  monotonicMs: () => 0,
  onStoreAnswer: () => undefined,
  onVerdict: () => undefined,
};
