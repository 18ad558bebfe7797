import type { CounterCheck, CounterOutcome } from '../../limiter/counters.ts';

/** So that one call can't hold Redis for long: so many checks, and so many limits of them all. */
const CALL_CHECKS_MAX = 64;
const CALL_LIMITS_MAX = 128;

interface Waiting {
  readonly check: CounterCheck;
  readonly resolve: (outcome: CounterOutcome) => void;
  readonly reject: (error: unknown) => void;
}

/** One call for several checks: an answer each, in their order, as what gives the outcome or throws. */
type Judge = (checks: readonly CounterCheck[]) => Promise<readonly (() => CounterOutcome)[]>;

/** Gathers the checks of one turn of the event loop, and has them judged in few calls. */
export class TurnBatches {
  readonly #judge: Judge;
  #waiting: Waiting[] = [];

  constructor(judge: Judge) {
    this.#judge = judge;
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
    void this.#answerInTurn(waiting);
  }

  /**
   * One call after the other: each has its deadline from the moment at which it is sent, and between
   * two of them Redis can serve others.
   */
  async #answerInTurn(waiting: readonly Waiting[]): Promise<void> {
    for (let first = 0; first < waiting.length; ) {
      const count = callSize(waiting, first);
      await this.#answer(waiting.slice(first, first + count));
      first += count;
    }
  }

  /** Never rejects: every waiting check gets its outcome or its error. */
  async #answer(batch: readonly Waiting[]): Promise<void> {
    try {
      const answers = await this.#judge(batch.map(({ check }) => check));
      batch.forEach(({ resolve, reject }, index) => {
        try {
          resolve((answers[index] as () => CounterOutcome)());
        } catch (error) {
          reject(error);
        }
      });
    } catch (error) {
      for (const { reject } of batch) reject(error);
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
