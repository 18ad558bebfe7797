import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { SnapshotCache } from '../../../src/stores/cache/snapshot-cache.ts';
import { type FoundSnapshot, findSnapshot } from '../../../src/stores/snapshot-file/find-snapshot.ts';
import { SnapshotWriter } from '../../../src/stores/snapshot-file/snapshot-writer.ts';
import { ManualTime } from '../../support/manual-time.ts';
import { RecordedLog } from '../../support/recorded-log.ts';
import { FakeSource, ruleText } from '../../support/snapshot-source.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

export const DATABASE = 'db.internal:5432/brume';
const MAX_AGE_MS = 86_400_000;

export interface Kept {
  readonly path: string;
  readonly source: FakeSource;
  readonly time: ManualTime;
  readonly log: RecordedLog;
  readonly snapshot: SnapshotCache;
  readonly writer: SnapshotWriter;
}

/** A snapshot with a block, a key and three namespaces, and the writer that keeps it. */
export async function keptSnapshot(t: Pick<TestContext, 'after'>, path?: string): Promise<Kept> {
  const source = new FakeSource();
  source.change('p', 'api', ruleText(5));
  source.change('p', 'login', ruleText(6));
  source.change('q', 'api', ruleText(7));
  source.addKey('p', 'a'.repeat(64));
  source.except('p', 'login', 'block', 'mallory');
  return keeping(t, source, path ?? join(temporaryDirectory(t), 'snapshot.brume'));
}

export async function keeping(
  t: Pick<TestContext, 'after'>,
  source: FakeSource,
  path: string,
): Promise<Kept> {
  const time = new ManualTime();
  const log = new RecordedLog();
  const snapshot = newCache(source, time, log);
  await snapshot.start();
  const contents = () => snapshot.contents();
  const writer = new SnapshotWriter({ path, database: DATABASE, contents, clock: time, timers: time, log });
  snapshot.keepBy(writer);
  t.after(async () => {
    await snapshot.stop();
    await writer.close();
  });
  return { path, source, time, log, snapshot, writer };
}

function newCache(source: FakeSource, time: ManualTime, log: RecordedLog): SnapshotCache {
  return new SnapshotCache({ source, clock: time, timers: time, log, propagationMs: 1000 });
}

/** Lets time pass until what the source has is on the disk. */
export async function written({ source, time, writer }: Kept): Promise<void> {
  await until(time, () => writer.stats().revision === source.revision);
}

export async function until(time: ManualTime, condition: () => boolean): Promise<void> {
  while (!condition()) {
    await time.advance(100);
    // The disk takes its time, which is not the manual one.
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

export interface Looking {
  readonly time?: ManualTime;
  readonly log?: RecordedLog;
  readonly database?: string;
  readonly maxAgeMs?: number;
}

/** What a start without the store would find. */
export async function found(path: string, looking: Looking = {}): Promise<FoundSnapshot> {
  const {
    time = new ManualTime(),
    log = new RecordedLog(),
    database = DATABASE,
    maxAgeMs = MAX_AGE_MS,
  } = looking;
  const cache = newCache(new FakeSource(), time, log);
  return findSnapshot({ path, database, clock: time, log }, { maxAgeMs, newTables: () => cache.newTables() });
}

/** A cache that goes by what is on the disk; fails if that isn't possible. */
export async function restored(path: string, source: FakeSource, time: ManualTime, log: RecordedLog) {
  const cache = newCache(source, time, log);
  const place = { path, database: DATABASE, clock: time, log };
  const { snapshot, ...rest } = await findSnapshot(place, {
    maxAgeMs: MAX_AGE_MS,
    newTables: () => cache.newTables(),
  });
  if (snapshot === undefined) throw new Error(JSON.stringify(rest));
  cache.restore(snapshot);
  return cache;
}
