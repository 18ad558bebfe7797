import type { Clock } from '../../limiter/clock.ts';
import { CountersError } from '../../limiter/counters.ts';
import type { FlushStats } from '../../telemetry/metrics/store-stats.ts';
import type { Timers } from '../cache/timers.ts';
import { CounterFile } from '../sql/counter-file.ts';
import type { StoreLog } from '../store-log.ts';
import type { CountersDisk } from './counters-disk.ts';
import { CountersWriter } from './counters-writer.ts';
import { EmbeddedCounters } from './embedded-counters.ts';
import { type LoadedEntries, loadEntries } from './load-entries.ts';
import { FORMAT_VERSION } from './stored-entry.ts';

export interface BorrowedCountersOptions {
  readonly stateDir: string;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: StoreLog;
  readonly identifiersMax: number;
}

/**
 * Counters that another process still counts in, read beforehand, so that whoever takes them over has only the
 * rest to read, however many they are. They are not to be asked before they are this process's own.
 *
 * The file is read and later written on one connection: without another one, whoever closes it last would write
 * all of its log back first, which takes long.
 */
export class BorrowedCounters {
  readonly counters: EmbeddedCounters;
  readonly #file: CounterFile;
  readonly #options: BorrowedCountersOptions;
  readonly #disk: LateDisk;
  #known: LoadedEntries;

  private constructor(file: CounterFile, known: LoadedEntries, options: BorrowedCountersOptions) {
    const { clock, identifiersMax, log } = options;
    this.#file = file;
    this.#known = known;
    this.#options = options;
    this.#disk = new LateDisk(file);
    this.counters = new EmbeddedCounters({
      clock,
      identifiersMax,
      entries: known.entries,
      disk: this.#disk,
      log,
    });
  }

  /** Undefined if there is no file, or one of another version. Rejects with StateDirError if that is newer. */
  static async read(options: BorrowedCountersOptions): Promise<BorrowedCounters | undefined> {
    const file = await CounterFile.openBeside({ stateDir: options.stateDir, formatVersion: FORMAT_VERSION });
    if (file === undefined) return undefined;
    try {
      const known = await loadEntries(file, options);
      // And what came to it during that.
      return new BorrowedCounters(file, await loadEntries(file, { ...options, known }), options);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Reads the rest, once nobody counts in them any more; from now on they are this process's own. */
  async own(): Promise<void> {
    this.#known = await loadEntries(this.#file, { ...this.#options, known: this.#known });
    const { damagedCount, leftOutCount } = this.#known;
    const isRewriteWanted = damagedCount > 0 || leftOutCount > 0;
    const { clock, timers, log } = this.#options;
    const writing = { ...this.#known, isRewriteWanted, file: this.#file, clock, timers, log };
    this.#disk.writer = new CountersWriter(writing);
  }
}

/** Nothing is written before it is known who writes. */
class LateDisk implements CountersDisk {
  readonly #file: CounterFile;
  writer: CountersWriter | undefined;

  constructor(file: CounterFile) {
    this.#file = file;
  }

  get isSaved(): boolean {
    return this.writer?.isSaved ?? true;
  }

  assertWritable(): void {
    if (this.writer === undefined) throw notOwned();
    this.writer.assertWritable();
  }

  stats(): FlushStats {
    return this.writer?.stats() ?? { failures: 0, lagMs: 0 };
  }

  async persist(key: string): Promise<void> {
    if (this.writer === undefined) throw notOwned();
    await this.writer.persist(key);
  }

  written(): ReturnType<CountersDisk['written']> {
    return this.writer?.written() ?? { nextBatchId: 1, storedCount: 0 };
  }

  close(): Promise<void> {
    return this.writer?.close() ?? this.#file.close();
  }
}

function notOwned(): CountersError {
  return new CountersError('unavailable', 'the embedded counters are still those of another process');
}
