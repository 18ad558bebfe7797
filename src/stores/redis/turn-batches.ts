import type { Clock } from '../../limiter/clock.ts';
import type { CounterCheck, CounterOutcome } from '../../limiter/counters.ts';
import { type CallTiming, SlotMoving } from './script-caller.ts';

/** So that one call can't hold Redis for long: so many checks, and so many limits of them all. */
const CALL_CHECKS_MAX = 64;
const CALL_LIMITS_MAX = 128;

interface Waiting {
  readonly check: CounterCheck;
  readonly resolve: (outcome: CounterOutcome) => void;
  readonly reject: (error: unknown) => void;
}

export interface TurnBatchesOptions {
  /** One call for several checks: an answer each, in their order, as what gives the outcome or throws. */
  readonly judge: (
    checks: readonly CounterCheck[],
    timing: CallTiming,
  ) => Promise<readonly (() => CounterOutcome)[]>;
  /** See ScriptCaller. */
  readonly groupOf: ((key: string) => string) | undefined;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** How long a call may take. */
  readonly timeoutMs: number;
}

/** Gathers the checks of one turn of the event loop, and has them judged in few calls. */
export class TurnBatches {
  readonly #options: TurnBatchesOptions;
  #waiting: Waiting[] = [];

  constructor(options: TurnBatchesOptions) {
    this.#options = options;
  }

  check(check: CounterCheck): Promise<CounterOutcome> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length === 0) setImmediate(() => this.#flush());
      this.#waiting.push({ check, resolve, reject });
    });
  }

  #flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    const { groupOf } = this.#options;
    if (groupOf === undefined || waiting.length === 1) void this.#answerInTurn(waiting);
    else {
      const groups = Map.groupBy(waiting, ({ check }) => groupOf(check.key));
      for (const group of groups.values()) void this.#answerInTurn(group);
    }
  }

  /**
   * One call after the other: each has its deadline from the moment at which it is sent, and between
   * two of them Redis can serve others.
   */
  async #answerInTurn(waiting: readonly Waiting[]): Promise<void> {
    const { clock, timeoutMs } = this.#options;
    for (let first = 0; first < waiting.length; ) {
      const count = callSize(waiting, first);
      await this.#answer(waiting.slice(first, first + count), clock.monotonicMs() + timeoutMs);
      first += count;
    }
  }

  /** Never rejects: every waiting check gets its outcome or its error. */
  async #answer(batch: readonly Waiting[], givenUpMs: number): Promise<void> {
    const isDivisible = batch.length > 1;
    try {
      const answers = await this.#options.judge(
        batch.map(({ check }) => check),
        { givenUpMs, isDivisible },
      );
      batch.forEach(({ resolve, reject }, index) => {
        try {
          resolve((answers[index] as () => CounterOutcome)());
        } catch (error) {
          reject(error);
        }
      });
    } catch (error) {
      if (isDivisible && error instanceof SlotMoving) {
        await Promise.all(batch.map((waiting) => this.#answer([waiting], givenUpMs)));
      } else for (const { reject } of batch) reject(error);
    }
  }
}

/** How many of the checks from `first` on go into one call: at least one. */
function callSize(waiting: readonly Waiting[], first: number): number {
  let limits = 0;
  let count = 0;
  while (count < CALL_CHECKS_MAX && first + count < waiting.length) {
    const { check } = waiting[first + count] as Waiting;
    limits += check.set.limits.length + (check.requestKey === undefined ? 0 : 1);
    if (count > 0 && limits > CALL_LIMITS_MAX) break;
    count++;
  }
  return count;
}
