import assert from 'node:assert/strict';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { clearPlace } from '../../../src/stores/snapshot-file/find-snapshot.ts';
import { sealedLine } from '../../../src/stores/snapshot-file/line-chain.ts';
import { ManualTime } from '../../support/manual-time.ts';
import { RecordedLog } from '../../support/recorded-log.ts';
import { ruleText } from '../../support/snapshot-source.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { DATABASE, found, type Kept, keptSnapshot, written } from './kept-snapshot.ts';

type Test = Parameters<typeof temporaryDirectory>[0];

/** A file with a base, a change and nothing else. */
async function keptFile(t: Test): Promise<Kept> {
  const kept = await keptSnapshot(t);
  await written(kept);
  kept.source.change('p', 'api', ruleText(50));
  await written(kept);
  await kept.snapshot.stop();
  return kept;
}

function reasonOf(result: Awaited<ReturnType<typeof found>>): string {
  assert.equal(result.snapshot, undefined);
  return result.snapshot === undefined ? result.reason : '';
}

function filesBeside(path: string): string[] {
  return readdirSync(dirname(path)).sort();
}

describe('a snapshot on disk', () => {
  it('is found whole: namespaces, keys, exceptions, secret and revision', async (t) => {
    const { path, source } = await keptFile(t);
    const { snapshot } = await found(path);
    assert.equal(snapshot?.revision, source.revision);
    assert.equal(snapshot?.isTorn, false);
    assert.deepEqual(new Uint8Array(snapshot?.identifierSecret ?? []), new Uint8Array(32).fill(7));
    assert.equal(snapshot?.tables.namespaces.find('p', 'api')?.rule.limits[0]?.limit, 50);
    assert.equal(snapshot?.tables.namespaces.find('q', 'api')?.rule.limits[0]?.limit, 7);
    assert.equal(snapshot?.tables.keys.find('a'.repeat(64))?.projectId, 'p');
    assert.equal(snapshot?.tables.exceptions.count, 1);
  });

  it('that is not there is said to be so', async (t) => {
    assert.equal(reasonOf(await found(join(temporaryDirectory(t), 'snapshot.brume'))), 'is not there');
  });

  it('loses the last line to a crash, at whatever byte, and nothing else', async (t) => {
    const { path, source } = await keptFile(t);
    const whole = readFileSync(path);
    const lastLine = whole.lastIndexOf('\n', whole.length - 2) + 1;
    // Without its last byte, the end of the line, the line is whole.
    for (let length = lastLine + 1; length < whole.length - 1; length += 7) {
      writeFileSync(path, whole.subarray(0, length));
      const log = new RecordedLog();
      const { snapshot } = await found(path, { log });
      assert.equal(snapshot?.isTorn, true);
      assert.equal(snapshot?.revision, source.revision - 1);
      assert.equal(snapshot?.tables.namespaces.find('p', 'api')?.rule.limits[0]?.limit, 5);
      assert.match(log.lines.join(), /^warn: the last change/);
    }
  });

  it('loses the last line if the disk wrote something else in its place', async (t) => {
    const { path, source } = await keptFile(t);
    const whole = readFileSync(path);
    whole.fill(0, whole.lastIndexOf('\n', whole.length - 2) + 1, whole.length - 1);
    writeFileSync(path, whole);
    const { snapshot } = await found(path);
    assert.equal(snapshot?.revision, source.revision - 1);
  });

  it('is not used if a bit was flipped anywhere, also in its last line and its end, and is moved aside', async (t) => {
    const { path } = await keptFile(t);
    const whole = readFileSync(path);
    const lastLine = whole.lastIndexOf('\n', whole.length - 2) + 1;
    const somewhere = Array.from({ length: Math.ceil(lastLine / 13) }, (_, index) => index * 13);
    const inTheLastLine = Array.from(
      { length: whole.length - lastLine + 1 },
      (_, index) => lastLine - 1 + index,
    );
    for (const at of [...somewhere, ...inTheLastLine]) {
      const damaged = Buffer.from(whole);
      // Makes a NUL of a blank, too.
      damaged[at] = (damaged[at] ?? 0) ^ (at % 3 === 0 ? 1 : 0x20);
      writeFileSync(path, damaged, { mode: 0o600 });
      const log = new RecordedLog();
      const reason = reasonOf(await found(path, { log }));
      assert.match(reason, /^is damaged \(.*\) and was moved to .*snapshot\.brume\.damaged-[0-9]+$/);
      assert.deepEqual(log.lines, ['error: the snapshot on disk is damaged']);
    }
    assert.ok(!filesBeside(path).includes('snapshot.brume'));
  });

  it('is not used if a line is missing, twice there or in another place', async (t) => {
    const { path } = await keptFile(t);
    const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
    const [head = '', second = '', ...rest] = lines;
    for (const wrong of [
      [head, ...rest],
      [second, ...rest],
      [head, second, second, ...rest],
      [head, ...rest.slice(0, 1), second, ...rest.slice(1)],
    ]) {
      writeFileSync(path, `${wrong.join('\n')}\n`);
      assert.match(reasonOf(await found(path)), /^is damaged/);
    }
  });

  it('is not used if it is empty or ends within its base', async (t) => {
    const { path } = await keptFile(t);
    const whole = readFileSync(path);
    writeFileSync(path, '');
    assert.match(reasonOf(await found(path)), /^is damaged \(it (is empty|does not begin)/);
    writeFileSync(path, whole.subarray(0, whole.indexOf('\n') + 1));
    assert.match(reasonOf(await found(path)), /^is damaged \(it ends too early\)/);
    writeFileSync(path, 'x'.repeat(1000));
    assert.match(reasonOf(await found(path)), /^is damaged/);
  });

  it('of another database is not used, and stays where it is', async (t) => {
    const { path } = await keptFile(t);
    const reason = reasonOf(await found(path, { database: 'other.internal:5432/brume' }));
    assert.equal(reason, `is of another database, ${DATABASE}`);
    assert.deepEqual(filesBeside(path), ['snapshot.brume']);
  });

  it('is used up to its age, and not beyond; a clock that went back makes it no older', async (t) => {
    const { path, time } = await keptFile(t);
    const late = new ManualTime();
    await late.advance(time.monotonicMs() + 5000);
    const { snapshot } = await found(path, { time: late, maxAgeMs: 60_000 });
    assert.ok(snapshot);
    await late.advance(120_000);
    assert.match(
      reasonOf(await found(path, { time: late, maxAgeMs: 60_000 })),
      /^was confirmed last at 20.*BRUME_SNAPSHOT_MAX_AGE/,
    );
    const early = Object.assign(new ManualTime(), { nowMs: () => 0 });
    assert.equal((await found(path, { time: early, maxAgeMs: 60_000 })).snapshot?.isTorn, false);
  });

  it('of a newer format is not used, and stays where it is', async (t) => {
    const { path } = await keptFile(t);
    const head = { head: { format: 2, database: DATABASE, identifierSecret: '00' } };
    writeFileSync(path, sealedLine('', [JSON.stringify(head)]).line);
    assert.match(reasonOf(await found(path)), /^can't be read: it has format 2, and this version reads 1/);
    assert.deepEqual(filesBeside(path), ['snapshot.brume']);
  });

  it('that other users could read becomes private, with a warning', async (t) => {
    const { path } = await keptFile(t);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    chmodSync(path, 0o644);
    const log = new RecordedLog();
    assert.ok((await found(path, { log })).snapshot);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.deepEqual(log.lines, [
      'warn: the snapshot on disk could be read by other users: it is private again',
    ]);
  });

  it("that can't be read is said to be so", async (t) => {
    const path = join(temporaryDirectory(t), 'snapshot.brume');
    mkdirSync(path);
    assert.match(reasonOf(await found(path)), /^can't be read: EISDIR/);
  });
});

describe('before a new snapshot takes its place', () => {
  const clear = (path: string, secretByte: number, log = new RecordedLog()) =>
    clearPlace(
      { path, database: DATABASE, clock: new ManualTime(), log },
      new Uint8Array(32).fill(secretByte),
    );

  it('one of the same installation stays', async (t) => {
    const { path } = await keptFile(t);
    await clear(path, 7);
    assert.deepEqual(filesBeside(path), ['snapshot.brume']);
  });

  it('one of another installation is moved aside, with a warning', async (t) => {
    const { path } = await keptFile(t);
    const log = new RecordedLog();
    await clear(path, 8, log);
    assert.deepEqual(filesBeside(path), ['snapshot.brume.other-1800000000000']);
    assert.match(log.lines.join(), /^warn: .*of another installation/);
  });

  it('a damaged one is moved aside, and none is no fault', async (t) => {
    const { path } = await keptFile(t);
    truncateSync(path, 20);
    appendFileSync(path, '\n\n');
    await clear(path, 7);
    assert.deepEqual(filesBeside(path), ['snapshot.brume.damaged-1800000000000']);
    await clear(path, 7);
  });
});
