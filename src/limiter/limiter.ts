import type { Check } from './check.ts';
import type { Verdict } from './verdict.ts';

/** Answers checks. The planes know this and nothing of the counters behind it. */
export interface Limiter {
  /** Always answers: when the store does not, the namespace's policy does. */
  judge(check: Check): Promise<Verdict>;
}
