import type { CountersError } from '../../limiter/counters.ts';
import { MERGES_MAX } from '../../limiter/merge.ts';
import type { Timers } from '../cache/timers.ts';
import type { LocalMerger } from './local-merger.ts';
import type { LocalEntry, LocalTable } from './local-table.ts';

export interface MergeRoundsOptions {
  readonly table: LocalTable;
  readonly merger: LocalMerger;
  readonly timers: Timers;
  /** Whether the store answers; never rejects. */
  readonly ping: () => Promise<boolean>;
  /** Told when the store answers. */
  readonly onAnswer: () => void;
  /** Told when it did not take something. */
  readonly onFault: (fault: CountersError) => void;
  /** Told when nothing is left. */
  readonly onDone: () => void;
}

/** While something is owed, the store is asked so often whether it answers. */
const ROUND_MS = 250;

/** Merges all that is owed as soon as the store answers, whether its identifiers are asked about or not. */
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

  /** Never rejects. */
  async #round(): Promise<void> {
    const { table, ping, onAnswer } = this.#options;
    if (!(await ping())) return;
    onAnswer();
    const entries = [...table.entries()];
    for (let first = 0; first < entries.length; first += MERGES_MAX) {
      if (!(await this.#merge(entries.slice(first, first + MERGES_MAX)))) return;
    }
  }

  /** False if the store takes none of them. */
  async #merge(entries: readonly LocalEntry[]): Promise<boolean> {
    const { merger, onFault } = this.#options;
    const faults = await Promise.all(entries.map((entry) => merger.merge(entry)));
    for (const fault of faults) if (fault !== undefined) onFault(fault);
    return faults.includes(undefined);
  }
}
