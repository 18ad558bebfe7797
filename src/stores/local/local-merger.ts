import { CountersError } from '../../limiter/counters.ts';
import type { Seen } from '../../limiter/local/seed.ts';
import { shareOfSet } from '../../limiter/local/share.ts';
import {
  MERGED_WEIGHT_MAX,
  MERGES_MAX,
  type Merge,
  type MergingCounters,
  mergeWeightOf,
  type Standing,
} from '../../limiter/merge.ts';
import type { LocalEntry, LocalTable } from './local-table.ts';

export interface LocalMergerOptions {
  readonly counters: Pick<MergingCounters, 'merge'>;
  readonly table: LocalTable;
  readonly liveNodes: () => number;
  /** By this node's estimate of the store's time. */
  readonly nowMs: () => number;
  /** How an identifier stands in the store now. */
  readonly onSeen: (key: string, seen: Seen) => void;
}

interface Owed {
  readonly entry: LocalEntry;
  readonly merge: Merge;
  readonly done: (fault: CountersError | undefined) => void;
}

/**
 * Merges entries of the table into the store, those of one turn of the event loop together, and takes them
 * out of the table. What may have been merged is never merged again.
 */
export class LocalMerger {
  readonly #options: LocalMergerOptions;
  #waiting: Owed[] = [];
  #merged = 0;
  #lost = 0;

  constructor(options: LocalMergerOptions) {
    this.#options = options;
  }

  /** Identifiers that were merged, and those of which nobody knows whether they were. */
  get counts(): { readonly merged: number; readonly lost: number } {
    return { merged: this.#merged, lost: this.#lost };
  }

  /** Merges an entry, or waits until that is done. Resolves with why it was not; never rejects. */
  async merge(entry: LocalEntry): Promise<CountersError | undefined> {
    entry.merging ??= this.#enter(entry);
    return entry.merging;
  }

  #enter(entry: LocalEntry): Promise<CountersError | undefined> | undefined {
    const { table, liveNodes, nowMs } = this.#options;
    const { key, set, ledger } = entry;
    const counted = ledger.owed(shareOfSet(set, liveNodes()).owed, nowMs());
    if (counted.size === 0) {
      ledger.forget();
      table.drop(entry);
      return undefined;
    }
    const { promise, resolve } = Promise.withResolvers<CountersError | undefined>();
    if (this.#waiting.length === 0) setImmediate(() => void this.#flush());
    const done = (fault: CountersError | undefined) => {
      entry.merging = undefined;
      resolve(fault);
    };
    this.#waiting.push({ entry, merge: { key, set, counted }, done });
    return promise;
  }

  /** One call after the other, between which the store can serve others. */
  async #flush(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (let first = 0; first < waiting.length; ) {
      const batch = batchFrom(waiting, first);
      await this.#send(batch);
      first += batch.length;
    }
  }

  async #send(batch: readonly Owed[]): Promise<void> {
    const answers = await this.#answers(batch.map(({ merge }) => merge));
    batch.forEach(({ entry, merge }, index) => {
      const answer = answers[index] as Standing | CountersError;
      if (!(answer instanceof CountersError)) {
        this.#options.onSeen(entry.key, { ...answer, set: merge.set });
        this.#options.table.drop(entry);
        entry.ledger.forget();
        this.#merged++;
      } else if (answer.fault === 'timeout') this.#lose(entry, merge);
    });
    batch.forEach(({ done }, index) => {
      const answer = answers[index];
      done(answer instanceof CountersError ? answer : undefined);
    });
  }

  /** Never rejects. */
  async #answers(merges: readonly Merge[]): Promise<readonly (Standing | CountersError)[]> {
    try {
      return await this.#options.counters.merge(merges);
    } catch (error) {
      const fault =
        error instanceof CountersError
          ? error
          : new CountersError('timeout', 'nobody knows whether it was merged', { cause: error });
      return merges.map(() => fault);
    }
  }

  /** It is owed no longer, but what this node admitted stays known to it: by that it goes on to judge. */
  #lose(entry: LocalEntry, { set, counted }: Merge): void {
    const { liveNodes, nowMs } = this.#options;
    entry.unsure ??= entry.ledger.beside();
    entry.unsure.add(shareOfSet(set, liveNodes()).owed, counted, nowMs());
    entry.ledger.forget();
    this.#lost++;
  }
}

function batchFrom(waiting: readonly Owed[], first: number): readonly Owed[] {
  let weight = 0;
  let count = 0;
  while (count < MERGES_MAX && first + count < waiting.length) {
    weight += mergeWeightOf((waiting[first + count] as Owed).merge.set);
    if (count > 0 && weight > MERGED_WEIGHT_MAX) break;
    count++;
  }
  return waiting.slice(first, first + count);
}
