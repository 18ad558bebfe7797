import { randomUUID } from 'node:crypto';
import { BrumeError } from '../../src/errors/catalogue.ts';
import type { Clock } from '../../src/limiter/clock.ts';
import type {
  CheckpointStore,
  QuotaCheckpoint,
  StoreEpoch,
} from '../../src/stores/checkpoints/quota-checkpoint.ts';
import { EmbeddedCounters } from '../../src/stores/embedded/embedded-counters.ts';
import { EntryTable } from '../../src/stores/embedded/entry-table.ts';

/** Checkpoints in memory, of one calendar and period for each name, that can be away. */
export class MemoryCheckpoints implements CheckpointStore {
  readonly rows = new Map<string, QuotaCheckpoint>();
  readonly #resets = new Map<string, number>();
  isAway = false;
  writeCount = 0;

  usedOf(key: string, name: string): number | undefined {
    return this.rows.get(`${key}:${name}`)?.used;
  }

  async write(checkpoints: readonly QuotaCheckpoint[]): Promise<void> {
    this.#ask();
    this.writeCount++;
    for (const checkpoint of checkpoints) {
      const { key, name, used, observedMs } = checkpoint;
      if (observedMs <= (this.#resets.get(key) ?? 0)) continue;
      if (used > (this.usedOf(key, name) ?? 0)) this.rows.set(`${key}:${name}`, checkpoint);
    }
  }

  async reset(key: string, forget: () => Promise<number>): Promise<void> {
    this.#ask();
    this.#resets.set(key, await forget());
    for (const [id, row] of this.rows) if (row.key === key) this.rows.delete(id);
  }

  async restorePage(
    { after, limit }: { after: { key: string; name: string }; limit: number },
    restore: (checkpoints: readonly QuotaCheckpoint[]) => Promise<void>,
  ): Promise<readonly QuotaCheckpoint[]> {
    this.#ask();
    const ids = [...this.rows.keys()].sort().filter((id) => id > `${after.key}:${after.name}`);
    const page = ids.slice(0, limit).flatMap((id) => this.rows.get(id) ?? []);
    await restore(page);
    return page;
  }

  async prune(): Promise<boolean> {
    this.#ask();
    return false;
  }

  #ask(): void {
    if (this.isAway) throw new BrumeError('store_unavailable');
  }
}

/** Counters that lose what they counted when told, as a Redis that is flushed does. */
export class LosableCounters extends EmbeddedCounters {
  readonly epoch = new MemoryEpoch();
  restoreCount = 0;

  readonly #table: EntryTable;

  constructor(clock: Clock, table = new EntryTable()) {
    super({ clock, identifiersMax: 1000, entries: table });
    this.#table = table;
  }

  async lose(): Promise<void> {
    for (const [key] of [...this.#table.entries()]) this.#table.delete(key);
    this.epoch.lose();
  }

  override restore(checkpoints: readonly QuotaCheckpoint[]): Promise<number> {
    this.restoreCount++;
    return super.restore(checkpoints);
  }
}

class MemoryEpoch implements StoreEpoch {
  #mark: string | undefined;
  #isRestoring = false;
  connected: () => void = () => undefined;

  lose(): void {
    this.#mark = undefined;
  }

  async look(): Promise<string | undefined> {
    return this.#isRestoring ? undefined : this.#mark;
  }

  async begin(): Promise<string> {
    if (this.#mark === undefined) {
      this.#mark = randomUUID();
      this.#isRestoring = true;
    }
    return this.#mark;
  }

  async finish(mark: string): Promise<boolean> {
    if (mark !== this.#mark) return false;
    this.#isRestoring = false;
    return true;
  }

  onConnect(listener: () => void): void {
    this.connected = listener;
  }
}
