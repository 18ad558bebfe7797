import type { Clock } from '../../limiter/clock.ts';
import type { Timers } from '../cache/timers.ts';
import { CounterFile } from '../sql/counter-file.ts';
import type { StoreLog } from '../store-log.ts';
import { CountersWriter } from './counters-writer.ts';
import { EmbeddedCounters } from './embedded-counters.ts';
import { type KnownEntries, type LoadedEntries, loadEntries } from './load-entries.ts';
import { FORMAT_VERSION } from './stored-entry.ts';

export interface OpenEmbeddedCountersOptions {
  readonly stateDir: string;
  /** This process holds the directory's lock already: `brume.sqlite` in it is open. */
  readonly isDirectoryOwned: boolean;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: StoreLog;
  readonly identifiersMax: number;
  /** What is known of the file already; taken over. */
  readonly known?: KnownEntries | undefined;
}

/**
 * Counters that go on where those before them in this directory ended. Where their file is damaged it is
 * set aside, and counting begins anew. Rejects with StateDirError, also where another process has the
 * directory, or a newer version wrote the file.
 */
export async function openEmbeddedCounters(options: OpenEmbeddedCountersOptions): Promise<EmbeddedCounters> {
  try {
    return await openOnce(options);
  } catch (error) {
    if (!CounterFile.isDamaged(error)) throw error;
    const asidePath = CounterFile.setAside(options.stateDir, options.clock.nowMs());
    options.log.error(
      { err: error, path: asidePath },
      'the file of the embedded counters is damaged and was set aside: counting begins anew',
    );
    return openOnce({ ...options, known: undefined });
  }
}

async function openOnce(options: OpenEmbeddedCountersOptions): Promise<EmbeddedCounters> {
  const file = await CounterFile.open({ ...options, formatVersion: FORMAT_VERSION });
  try {
    return await goOnWith(file, options);
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Takes the file over: closing the counters closes it. Rejects with what reading it failed with. */
export async function goOnWith(
  file: Pick<CounterFile, 'before' | 'write' | 'close'>,
  options: Omit<OpenEmbeddedCountersOptions, 'stateDir' | 'isDirectoryOwned'>,
): Promise<EmbeddedCounters> {
  const { clock, timers, log, identifiersMax } = options;
  const loaded = await loadEntries(file, options);
  report(loaded, options);
  const { entries, nextBatchId, storedCount, damagedCount, leftOutCount } = loaded;
  const isRewriteWanted = damagedCount > 0 || leftOutCount > 0 || options.known?.isRewriteWanted === true;
  const written = { entries, nextBatchId, storedCount, isRewriteWanted };
  const disk = new CountersWriter({ ...written, file, clock, timers, log });
  return new EmbeddedCounters({ clock, identifiersMax, entries, disk, log });
}

function report(
  loaded: LoadedEntries,
  { log, identifiersMax }: Pick<OpenEmbeddedCountersOptions, 'log' | 'identifiersMax'>,
): void {
  const { entries, damagedCount, leftOutCount } = loaded;
  if (entries.size > 0) log.info({ identifiers: entries.size }, 'embedded counters read from disk');
  if (damagedCount > 0)
    log.error({ damaged: damagedCount }, 'some of the embedded counters are damaged and were left out');
  if (leftOutCount > 0)
    log.warn(
      { leftOut: leftOutCount, identifiersMax },
      'there are more embedded counters on disk than BRUME_EMBEDDED_IDENTIFIERS_MAX: those used longest ago were left out',
    );
}
