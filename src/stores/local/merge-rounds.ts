import type { CountersError } from '../../limiter/counters.ts';
import { MERGES_MAX } from '../../limiter/merge.ts';
import type { Timers } from '../cache/timers.ts';
import type { LocalMerger } from './local-merger.ts';
import type { LocalEntry, LocalTable } from './local-table.ts';

export interface MergeRoundsOptions {
  readonly table: LocalTable;
  readonly merger: LocalMerger;
  readonly timers: Timers;
  /** See MergingCounters. */
  readonly partOf: (key: string) => string;
  /** Whether the part of the store that has the key answers; never rejects. */
  readonly ping: (key: string) => Promise<boolean>;
  /** Told when a part of the store answers. */
  readonly onAnswer: (part: string) => void;
  /** Told when it did not take something. */
  readonly onFault: (fault: CountersError, key: string) => void;
  /** Told when nothing is left. */
  readonly onDone: () => void;
}

/** While something is owed, the store is asked so often whether it answers. */
const ROUND_MS = 250;

/** Merges all that is owed as soon as the store, or the part of it that has it, answers, whether its identifiers are asked about or not. */
export class MergeRounds {
  readonly #options: MergeRoundsOptions;
  #cancel: (() => void) | undefined;
  #running: Promise<void> | undefined;
  #isStopped = false;

  constructor(options: MergeRoundsOptions) {
    this.#options = options;
  }

  /** Something is owed. */
  start(): void {
    if (this.#cancel !== undefined || this.#running !== undefined || this.#isStopped) return;
    this.#cancel = this.#options.timers.after(ROUND_MS, () => {
      this.#cancel = undefined;
      this.#running = this.#round().finally(() => this.#end());
    });
  }

  /** After a last round. Never rejects. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    await this.#running;
    if (this.#options.table.size > 0) await this.#round();
  }

  #end(): void {
    this.#running = undefined;
    if (this.#options.table.size > 0) this.start();
    else this.#options.onDone();
  }

  /** Each part of the store by itself: that one is away is no matter of the others. Never rejects. */
  async #round(): Promise<void> {
    const { table, partOf } = this.#options;
    const parts = Map.groupBy(table.entries(), ({ key }) => partOf(key));
    for (const [part, entries] of parts) await this.#mergePart(part, entries);
  }

  async #mergePart(part: string, entries: readonly LocalEntry[]): Promise<void> {
    const { ping, onAnswer } = this.#options;
    const [one] = entries as readonly [LocalEntry];
    if (!(await ping(one.key))) return;
    onAnswer(part);
    for (let first = 0; first < entries.length; first += MERGES_MAX) {
      if (!(await this.#merge(entries.slice(first, first + MERGES_MAX)))) return;
    }
  }

  /** False if the store takes none of them. */
  async #merge(entries: readonly LocalEntry[]): Promise<boolean> {
    const { merger, onFault } = this.#options;
    const faults = await Promise.all(entries.map((entry) => merger.merge(entry)));
    entries.forEach(({ key }, index) => {
      const fault = faults[index];
      if (fault !== undefined) onFault(fault, key);
    });
    return faults.includes(undefined);
  }
}
