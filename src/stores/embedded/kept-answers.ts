import { type CounterOutcome, REQUEST_ID_KEPT_MS, REQUEST_IDS_MAX } from '../../limiter/counters.ts';

export interface KeptAnswer {
  readonly cost: number;
  readonly token: string | undefined;
  readonly signature: string;
  readonly outcome: CounterOutcome;
}

interface Dated extends KeptAnswer {
  readonly keptMonotonicMs: number;
}

/** What was answered under an identifier's request ids: each for a minute, the latest thousand of them. */
export class KeptAnswers {
  readonly #answers: Map<string, Dated>;
  #latestMonotonicMs = 0;

  constructor(answers: Iterable<[string, Dated]> = []) {
    this.#answers = new Map(answers);
  }

  /** When the last of them ends. */
  get expiresMonotonicMs(): number {
    return this.#latestMonotonicMs + REQUEST_ID_KEPT_MS;
  }

  get(requestKey: string, monotonicMs: number): KeptAnswer | undefined {
    const answer = this.#answers.get(requestKey);
    return answer && monotonicMs < answer.keptMonotonicMs + REQUEST_ID_KEPT_MS ? answer : undefined;
  }

  keep(requestKey: string, answer: KeptAnswer, monotonicMs: number): void {
    this.#answers.delete(requestKey);
    this.#answers.set(requestKey, { ...answer, keptMonotonicMs: monotonicMs });
    this.#latestMonotonicMs = monotonicMs;
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > REQUEST_IDS_MAX && oldest !== undefined) this.#answers.delete(oldest);
  }

  copy(): KeptAnswers {
    const copy = new KeptAnswers(this.#answers);
    copy.#latestMonotonicMs = this.#latestMonotonicMs;
    return copy;
  }
}
