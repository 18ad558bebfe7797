import { type CounterOutcome, REQUEST_ID_KEPT_MS, REQUEST_IDS_MAX } from '../../limiter/counters.ts';

export interface KeptAnswer {
  readonly cost: number;
  readonly token: string | undefined;
  readonly signature: string;
  readonly outcome: CounterOutcome;
}

export interface DatedAnswer extends KeptAnswer {
  readonly keptMonotonicMs: number;
}

/** What was answered under an identifier's request ids: each for a minute, the latest thousand of them. */
export class KeptAnswers {
  readonly #answers: Map<string, DatedAnswer>;
  #latestMonotonicMs: number;
  /** So many of the latest are not on disk yet; undefined: none is. */
  #unwritten: number | undefined;

  /** With answers that are on disk, the oldest first. */
  constructor(written: Iterable<[string, DatedAnswer]> = []) {
    this.#answers = new Map(written);
    this.#unwritten = this.#answers.size > 0 ? 0 : undefined;
    this.#latestMonotonicMs = [...this.#answers.values()].at(-1)?.keptMonotonicMs ?? 0;
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
    if (this.#unwritten !== undefined) this.#unwritten++;
    this.#latestMonotonicMs = monotonicMs;
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > REQUEST_IDS_MAX && oldest !== undefined) this.#answers.delete(oldest);
  }

  /** The oldest first. */
  entries(): MapIterator<[string, DatedAnswer]> {
    return this.#answers.entries();
  }

  copy(): KeptAnswers {
    const copy = new KeptAnswers(this.#answers);
    copy.#latestMonotonicMs = this.#latestMonotonicMs;
    copy.#unwritten = this.#unwritten;
    return copy;
  }

  /**
   * What is to be added to the record on disk, the oldest first, and counts as written from now on: what
   * was kept since the last time, or all (`isWhole`) the first time and when that is asked for.
   */
  takeUnwritten(isWholeWanted: boolean, monotonicMs: number) {
    const isWhole = isWholeWanted || this.#unwritten === undefined;
    const all = [...this.#answers];
    const taken =
      isWhole || this.#unwritten === undefined ? all : this.#unwritten > 0 ? all.slice(-this.#unwritten) : [];
    this.#unwritten = 0;
    const isLiving = ([, { keptMonotonicMs }]: [string, DatedAnswer]) =>
      monotonicMs < keptMonotonicMs + REQUEST_ID_KEPT_MS;
    return { isWhole, answers: taken.filter(isLiving) };
  }
}
