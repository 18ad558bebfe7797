import type { Clock } from '../../limiter/clock.ts';
import type { CountersError } from '../../limiter/counters.ts';
import type { StoreLog } from '../store-log.ts';

export interface LocalEpisodeOptions {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly log: Pick<StoreLog, 'info' | 'warn'>;
  readonly liveNodes: () => number;
  readonly counts: () => { readonly merged: number; readonly lost: number };
}

/** How often this node judged by itself, and the log's lines on when it began to count so and when that ended. */
export class LocalEpisode {
  readonly #options: LocalEpisodeOptions;
  readonly #totals = { admitted: 0, denied: 0, refused: 0 };
  #begun: { readonly monotonicMs: number; readonly admitted: number; readonly denied: number } | undefined;
  #countsBefore = { merged: 0, lost: 0 };

  constructor(options: LocalEpisodeOptions) {
    this.#options = options;
  }

  get totals(): { readonly admitted: number; readonly denied: number; readonly refused: number } {
    return this.#totals;
  }

  count(isAdmitted: boolean): void {
    if (isAdmitted) this.#totals.admitted++;
    else this.#totals.denied++;
  }

  /** A newcomer found no room. */
  refuse(): void {
    this.#totals.refused++;
  }

  begin(fault: CountersError | undefined): void {
    if (this.#begun !== undefined) return;
    const { clock, log, liveNodes, counts } = this.#options;
    const { admitted, denied } = this.#totals;
    this.#begun = { monotonicMs: clock.monotonicMs(), admitted, denied };
    this.#countsBefore = { ...counts() };
    log.warn(
      { nodes: liveNodes(), reason: fault?.message },
      'the counter store gave no answer: where the policy is local, this node judges by its share of the limits',
    );
  }

  /** `owed`: so many identifiers will never be merged, since this node ends. */
  end(owed: number): void {
    if (this.#begun === undefined) return;
    const { clock, log, counts } = this.#options;
    const { merged, lost } = counts();
    const { admitted, denied } = this.#totals;
    log.info(
      {
        seconds: Math.round((clock.monotonicMs() - this.#begun.monotonicMs) / 1000),
        admitted: admitted - this.#begun.admitted,
        denied: denied - this.#begun.denied,
        merged: merged - this.#countsBefore.merged,
        lost: lost - this.#countsBefore.lost + owed,
      },
      'what this node admitted by itself has been merged into the counter store',
    );
    this.#begun = undefined;
  }
}
