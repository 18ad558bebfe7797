/**
 * What a large configuration costs: a million overrides read from the store, written to disk beside it,
 * changed, and read back for a start without the store. Prints one table.
 *
 *   node scripts/measure-snapshot.ts [--exceptions 1000000]
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock } from '../src/limiter/clock.ts';
import { SnapshotCache } from '../src/stores/cache/snapshot-cache.ts';
import type { SnapshotSource, StoredException } from '../src/stores/cache/snapshot-source.ts';
import { systemTimers } from '../src/stores/cache/timers.ts';
import { findSnapshot } from '../src/stores/snapshot-file/find-snapshot.ts';
import { SnapshotWriter } from '../src/stores/snapshot-file/snapshot-writer.ts';
import { type MeasuredRow, measuredTurns } from './measured-turns.ts';

const { values } = parseArgs({ options: { exceptions: { type: 'string', default: '1000000' } } });
const count = Number(values.exceptions);
const log = { info: () => undefined, warn: console.warn, error: console.error };
const rule = { limits: [{ name: 'minute', algorithm: 'fixed_window', limit: 10, windowMs: 60_000 }] };

function exception(number: number, revision: number): StoredException {
  return {
    id: `ex_${String(number).padStart(12, '0')}`,
    namespaceId: 'ns_00000000000000000001',
    kind: 'override',
    form: 'exact',
    match: `user-${number}@example.com`,
    limitsText: `[{"name":"minute","limit":${20 + (number % 10)}}]`,
    createdAtMs: 1_800_000_000_000 + number,
    expiresAtMs: null,
    revision,
  };
}

/** Makes its rows as they are asked for, as a database would. */
class MillionSource implements SnapshotSource {
  revision = 1;
  async isWhole() {
    return true;
  }

  async installation() {
    const { revision } = this;
    return { revision, revisedAtMs: null, identifierSecret: new Uint8Array(32), removalsListedAfter: 0 };
  }
  async revisedAtMs() {
    return null;
  }
  async projectRevisions() {
    return new Map([['p', this.revision]]);
  }
  async namespacesChangedAfter() {
    const ruleText = JSON.stringify(rule);
    const id = 'ns_00000000000000000001';
    return [{ id, projectId: 'p', name: 'api', ruleText, version: 1, createdAtMs: 1, updatedAtMs: 1 }];
  }
  async budgetsChangedAfter() {
    return new Map<string, number>();
  }
  async keysChangedAfter() {
    return [];
  }
  async exceptionsRemovedAfter() {
    return [];
  }
  async exceptionsChangedAfter(
    since: number,
    { after, pageSize }: { after?: Pick<StoredException, 'id'>; pageSize: number },
  ) {
    await new Promise((resolve) => setImmediate(resolve));
    if (since > 0) return after === undefined ? [exception(7, this.revision)] : [];
    const first = after === undefined ? 0 : Number(after.id.slice(3)) + 1;
    return Array.from({ length: Math.min(pageSize, count - first) }, (_, at) => exception(first + at, 1));
  }
}

const rows: Record<string, MeasuredRow> = {};

async function measured(step: string, work: () => Promise<unknown>): Promise<void> {
  rows[step] = await measuredTurns(work);
}

const directory = mkdtempSync(join(tmpdir(), 'brume-'));
const path = join(directory, 'snapshot.brume');
try {
  const source = new MillionSource();
  const parts = { clock: systemClock, timers: systemTimers, log };
  const cache = new SnapshotCache({ ...parts, source, propagationMs: 3_600_000 });
  const writer = new SnapshotWriter({
    ...parts,
    path,
    database: 'db/brume',
    contents: () => cache.contents(),
  });
  const isWritten = async () => {
    while (writer.stats().revision !== source.revision)
      await new Promise((resolve) => setTimeout(resolve, 2));
  };
  await measured('read from the store', () => cache.refresh());
  cache.keepBy(writer);
  await measured('write to disk', isWritten);
  source.revision += 1;
  await measured('one change, in memory', () => cache.refresh());
  await measured('one change, on disk (gathered for 100 ms)', isWritten);
  await writer.close();
  const again = new SnapshotCache({ ...parts, source, propagationMs: 3_600_000 });
  await measured('read from disk at a start', async () => {
    const place = { path, database: 'db/brume', clock: systemClock, log };
    const { snapshot } = await findSnapshot(place, { maxAgeMs: 1e9, newTables: () => again.newTables() });
    if (snapshot !== undefined) again.restore(snapshot);
  });
  console.table(rows);
  const { exceptions, bytes } = again.stats();
  console.log(
    `${exceptions} exceptions: ${Math.round(bytes / exceptions)} bytes each in memory (estimated),`,
  );
  console.log(`${Math.round(statSync(path).size / exceptions)} bytes each on disk`);
} finally {
  rmSync(directory, { recursive: true, force: true });
}
