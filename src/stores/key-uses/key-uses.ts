import type { Clock } from '../../limiter/clock.ts';
import type { Timers } from '../cache/timers.ts';

/** Where it stays on record when keys were last used, in epoch milliseconds by their ids. */
export interface KeyUseRecord {
  /** Keeps, of each, what is a minute or more later than what is there. */
  noteUses(uses: ReadonlyMap<string, number>): Promise<void>;
}

export interface KeyUsesOptions {
  readonly record: KeyUseRecord;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly timers: Timers;
}

const WRITTEN_EVERY_MS = 60_000;

/**
 * When keys were last used, noted in memory on the way of a check and written once a minute. A crash
 * loses the last minute; while the record can't be written, the uses wait.
 */
export class KeyUses {
  readonly #options: KeyUsesOptions;
  /** No larger than the number of keys that there are: only known keys are noted. */
  #unwritten = new Map<string, number>();
  #cancel: (() => void) | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: KeyUsesOptions) {
    this.#options = options;
    this.#schedule();
  }

  note(keyId: string): void {
    this.#unwritten.set(keyId, this.#options.clock.nowMs());
  }

  /** Writes what is noted. */
  async stop(): Promise<void> {
    this.#cancel?.();
    await this.#writing;
    await this.#write();
  }

  #schedule(): void {
    this.#cancel = this.#options.timers.after(WRITTEN_EVERY_MS, () => {
      this.#writing = this.#write();
      this.#schedule();
    });
  }

  /** Never rejects. */
  async #write(): Promise<void> {
    if (this.#unwritten.size === 0) return;
    const uses = this.#unwritten;
    this.#unwritten = new Map();
    try {
      await this.#options.record.noteUses(uses);
    } catch {
      // Others say that the store is away. What was noted meanwhile is later.
      for (const [id, atMs] of uses) if (!this.#unwritten.has(id)) this.#unwritten.set(id, atMs);
    }
  }
}
