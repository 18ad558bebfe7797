import type { StoreLog } from '../store-log.ts';
import { infoFields } from './server-identity.ts';

export interface MemoryWatchOptions {
  /** A section of INFO. */
  readonly info: (section: 'memory' | 'stats') => Promise<string>;
  readonly log: Pick<StoreLog, 'info' | 'warn'>;
  /** How often it is looked at beside each connection. */
  readonly intervalMs: number;
}

export interface MemoryStats {
  /** The maxmemory-policy is another than noeviction; undefined while nobody has told. */
  readonly mayEvict: boolean | undefined;
  /** Keys that were evicted since this node looks. */
  readonly evictions: number;
}

/** Whether Redis may throw counters away when its memory is full: told when it can, and when it has. */
export class MemoryWatch {
  readonly #options: MemoryWatchOptions;
  readonly #timer: NodeJS.Timeout;
  #policy: string | undefined;
  #evictedBefore: number | undefined;
  #evictions = 0;

  constructor(options: MemoryWatchOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.look(false), options.intervalMs).unref();
  }

  stats(): MemoryStats {
    const mayEvict = this.#policy === undefined ? undefined : this.#policy !== 'noeviction';
    return { mayEvict, evictions: this.#evictions };
  }

  /** Never rejects: where nobody tells, nothing is known. `isNew`: another process may answer than before. */
  async look(isNew: boolean): Promise<void> {
    const { info } = this.#options;
    try {
      const [memory, stats] = await Promise.all([info('memory'), info('stats')]);
      this.#notePolicy(infoFields(memory).get('maxmemory_policy'), isNew);
      this.#noteEvicted(Number(infoFields(stats).get('evicted_keys')), isNew);
    } catch {
      // It is away, or its user may not ask.
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #notePolicy(policy: string | undefined, isNew: boolean): void {
    if (policy === undefined || (policy === this.#policy && !isNew)) return;
    const wasBad = this.#policy !== undefined && this.#policy !== 'noeviction';
    this.#policy = policy;
    const { log } = this.#options;
    if (policy !== 'noeviction') {
      log.warn({ policy }, 'Redis may evict counters, and then admits more than their limits');
    } else if (wasBad) log.info({ policy }, 'Redis evicts nothing any more');
  }

  #noteEvicted(evicted: number, isNew: boolean): void {
    if (!Number.isFinite(evicted)) return;
    const before = isNew ? undefined : this.#evictedBefore;
    this.#evictedBefore = evicted;
    const more = before === undefined ? 0 : Math.max(0, evicted - before);
    this.#evictions += more;
    if (more === 0) return;
    this.#options.log.warn(
      { keys: more },
      'Redis has evicted keys: limits whose counters they were begin anew',
    );
  }
}
