import type { Clock } from '../../limiter/clock.ts';
import { REQUEST_IDS_MAX } from '../../limiter/counters.ts';
import type { CounterBatch, CounterFile } from '../sql/counter-file.ts';
import type { Entry, Moment } from './entry.ts';
import { EntryTable } from './entry-table.ts';
import { type DatedAnswer, KeptAnswers } from './kept-answers.ts';
import { type DecodedEntry, decodeEntry, keyOf, type StoredEntry } from './stored-entry.ts';
import { DamagedError, listIn } from './stored-value.ts';

/** Read at once: some megabytes. */
const BATCHES_AT_ONCE = 64;

export interface LoadedEntries {
  readonly entries: EntryTable;
  /** Above that of every batch in the file. */
  readonly nextBatchId: number;
  /** How many entries the file holds, those included that later ones replace. */
  readonly storedCount: number;
  /** What could not be read: batches or entries. */
  readonly damagedCount: number;
  /** Living identifiers that there was no room for. */
  readonly leftOutCount: number;
}

/** The entries of a file up to one of its batches. */
export interface KnownEntries extends LoadedEntries {
  /** Not all of it is in the file. */
  readonly isRewriteWanted?: boolean;
}

interface LoadOptions {
  readonly clock: Clock;
  readonly identifiersMax: number;
  /** What is known of the file already; taken over. Only batches that are later than it are read. */
  readonly known?: LoadedEntries | undefined;
}

/**
 * The living entries of a file. It is read from its end, where the latest word on each identifier is; of
 * more than `identifiersMax`, those used last are kept.
 */
export async function loadEntries(
  file: Pick<CounterFile, 'before'>,
  { clock, identifiersMax, known }: LoadOptions,
): Promise<LoadedEntries> {
  const loading = new Loading({ nowMs: clock.nowMs(), monotonicMs: clock.monotonicMs() }, identifiersMax);
  const knownId = (known?.nextBatchId ?? 1) - 1;
  let [nextBatchId, storedCount] = [known?.nextBatchId ?? 1, known?.storedCount ?? 0];
  for (let beforeId = Number.MAX_SAFE_INTEGER; beforeId > knownId; ) {
    const batches = await file.before(beforeId, BATCHES_AT_ONCE);
    for (const batch of batches) {
      beforeId = batch.id;
      if (beforeId <= knownId) break;
      nextBatchId = Math.max(nextBatchId, batch.id + 1);
      storedCount += batch.entryCount;
      loading.take(batch);
    }
    if (batches.length < BATCHES_AT_ONCE) break;
  }
  const entries = known === undefined ? loading.finish() : loading.finishOver(known.entries);
  return {
    entries,
    nextBatchId,
    storedCount,
    damagedCount: (known?.damagedCount ?? 0) + loading.damagedCount,
    leftOutCount: (known?.leftOutCount ?? 0) + loading.leftOutCount,
  };
}

class Loading {
  readonly #moment: Moment;
  readonly #identifiersMax: number;
  readonly #entries = new EntryTable();
  /** Of identifiers whose earlier answers are still to come: the answers so far, the latest first. */
  readonly #open = new Map<string, (readonly [string, DatedAnswer])[]>();
  /** Reset, ended, or without room: what was written of them before counts for nothing. */
  readonly #gone = new Set<string>();
  damagedCount = 0;
  leftOutCount = 0;

  constructor(moment: Moment, identifiersMax: number) {
    this.#moment = moment;
    this.#identifiersMax = identifiersMax;
  }

  /** Batches come the latest first. */
  take({ savedMs, entries }: CounterBatch): void {
    for (const stored of this.#safely(() => listIn(JSON.parse(entries))).toReversed()) {
      this.#safely(() => {
        this.#takeOne(listIn(stored), savedMs);
        return [];
      });
    }
  }

  finish(): EntryTable {
    for (const key of [...this.#open.keys()]) this.#close(key);
    return this.#entries;
  }

  /** What was read is later than what is in the table, which it goes into. */
  finishOver(earlier: EntryTable): EntryTable {
    for (const key of this.#gone) earlier.drop(key);
    for (const [key, answers] of this.#open) {
      answers.push(...[...(earlier.get(key)?.answers?.entries() ?? [])].toReversed());
    }
    for (const [key, entry] of this.finish().entries()) earlier.set(key, entry);
    return earlier;
  }

  #takeOne(stored: StoredEntry, savedMs: number): void {
    const key = keyOf(stored);
    const isKnown = this.#entries.has(key);
    if (this.#gone.has(key) || (isKnown && !this.#open.has(key))) return;
    const decoded = decodeEntry(stored, savedMs, this.#moment);
    if (isKnown) this.#addEarlier(key, decoded);
    else this.#addLatest(key, decoded, savedMs);
  }

  #addLatest(key: string, decoded: DecodedEntry | undefined, savedMs: number): void {
    const isLiving = decoded !== undefined && decoded.expiresMonotonicMs > this.#moment.monotonicMs;
    const hasRoom = this.#entries.size < this.#identifiersMax;
    if (!isLiving || !hasRoom) {
      this.#gone.add(key);
      if (isLiving) this.leftOutCount++;
      return;
    }
    const { held, expiresMonotonicMs, answers, isWhole } = decoded;
    this.#entries.set(key, { held, expiresMonotonicMs, answers: undefined, savedMs });
    if (isWhole && answers.length === 0) return;
    this.#open.set(key, answers.toReversed());
    if (isWhole) this.#close(key);
  }

  #addEarlier(key: string, decoded: DecodedEntry | undefined): void {
    this.#open.get(key)?.push(...(decoded?.answers.toReversed() ?? []));
    if (decoded === undefined || decoded.isWhole) this.#close(key);
  }

  #close(key: string): void {
    const entry = this.#entries.get(key);
    const answers = this.#open.get(key)?.toReversed() ?? [];
    this.#open.delete(key);
    if (entry !== undefined && answers.length > 0) this.#entries.set(key, withAnswers(entry, answers));
  }

  #safely(work: () => readonly unknown[]): readonly unknown[] {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof DamagedError || error instanceof SyntaxError)) throw error;
      this.damagedCount++;
      return [];
    }
  }
}

/** An id that was used again counts as of its second time. */
function withAnswers(entry: Entry, answers: readonly (readonly [string, DatedAnswer])[]): Entry {
  const latest = new Map<string, DatedAnswer>();
  for (const [id, answer] of answers) {
    latest.delete(id);
    latest.set(id, answer);
  }
  return { ...entry, answers: new KeptAnswers([...latest].slice(-REQUEST_IDS_MAX)) };
}
