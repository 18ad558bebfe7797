import type { Timers } from '../stores/cache/timers.ts';
import type { Node } from '../stores/sql/nodes.ts';
import type { StoreLog } from '../stores/store-log.ts';

/** As often as nodes give signs of themselves, to PostgreSQL and to Redis. */
const LOOK_INTERVAL_MS = 3000;
/** In so many looks a node that starts, or a Redis that was flushed, has it in Redis, too. */
const LOOKS = 6;

export interface CountingElsewhereParts {
  /** The other nodes with this configuration, as last heard. */
  readonly others: () => readonly Node[];
  /** The ids of the nodes that count in the Redis of this one. Rejects where it can't be asked. */
  readonly countingHere: () => Promise<ReadonlySet<string>>;
  readonly timers: Timers;
  readonly log: Pick<StoreLog, 'error' | 'info'>;
}

/**
 * Finds nodes that have this node's configuration and count in another Redis, by a mistake in BRUME_REDIS_URL or
 * in the middle of a move: together they admit each limit as often as there are places where it is counted. They
 * go on, since to stop would admit still more wherever a rule is open, and say so.
 */
export class CountingElsewhere {
  readonly #parts: CountingElsewhereParts;
  /** In how many looks in a row each was missing, by its id. */
  #missing: ReadonlyMap<string, number> = new Map();
  #found: readonly Node[] = [];
  #cancel: (() => void) | undefined;

  constructor(parts: CountingElsewhereParts) {
    this.#parts = parts;
    this.#schedule();
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  /** Those that count in another Redis, or can't reach this one. */
  get nodes(): readonly Node[] {
    return this.#found;
  }

  #schedule(): void {
    this.#cancel = this.#parts.timers.after(LOOK_INTERVAL_MS, () => {
      void this.#look().finally(() => {
        if (this.#cancel !== undefined) this.#schedule();
      });
    });
  }

  /** Never rejects: what can't be asked leaves all as it was. */
  async #look(): Promise<void> {
    const here = await this.#parts.countingHere().catch(() => undefined);
    if (here === undefined) return;
    const missing = this.#parts.others().filter(({ id, counters }) => counters === 'redis' && !here.has(id));
    this.#missing = new Map(missing.map(({ id }) => [id, (this.#missing.get(id) ?? 0) + 1]));
    this.#tell(missing.filter(({ id }) => (this.#missing.get(id) ?? 0) >= LOOKS));
  }

  #tell(found: readonly Node[]): void {
    const { log } = this.#parts;
    const before = this.#found;
    this.#found = found;
    for (const { id, host, pid } of found) {
      if (before.some((node) => node.id === id)) continue;
      log.error(
        { host, pid },
        'another node has the same configuration and counts in another Redis, or can not reach this one: each Redis admits the whole limit; give all nodes the same BRUME_REDIS_URL',
      );
    }
    if (found.length === 0 && before.length > 0)
      log.info({}, 'all nodes of this configuration count in the same Redis again');
  }
}
