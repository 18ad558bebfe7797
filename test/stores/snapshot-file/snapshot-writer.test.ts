import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { removeLeftovers } from '../../../src/stores/snapshot-file/leftovers.ts';
import { ManualTime } from '../../support/manual-time.ts';
import { RecordedLog } from '../../support/recorded-log.ts';
import { FakeSource, ruleText } from '../../support/snapshot-source.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { found, type Kept, keeping, keptSnapshot, restored, until, written } from './kept-snapshot.ts';

interface Step {
  readonly op: string;
  readonly project: string;
  readonly name: string;
  readonly match: string;
}

const lineCount = (path: string) => readFileSync(path, 'utf8').split('\n').length - 1;

/** What decides, of what is on the disk. */
async function onDisk(path: string) {
  const { snapshot } = await found(path);
  assert.ok(snapshot);
  const { tables, revision } = snapshot;
  const projects = [...tables.namespaces.projectIds()].sort();
  return {
    revision,
    namespaces: projects
      .flatMap((id) => tables.namespaces.rowsOf(id))
      .map((row) => JSON.stringify(row))
      .sort(),
    budgets: projects.map((id) => `${id} ${tables.namespaces.callsPerDayOf(id)}`).sort(),
    keys: [...tables.keys.rows()].map(({ sha256 }) => sha256).sort(),
    exceptions: [...tables.exceptions.rows()].map((row) => JSON.stringify(row)).sort(),
  };
}

function inMemory({ snapshot }: Kept) {
  const contents = snapshot.contents();
  assert.ok(contents);
  const { tables, revision } = contents;
  const projects = [...tables.namespaces.projectIds()];
  return {
    revision,
    namespaces: projects
      .flatMap((id) => tables.namespaces.rowsOf(id))
      .map((row) => JSON.stringify(row))
      .sort(),
    budgets: projects.map((id) => `${id} ${tables.namespaces.callsPerDayOf(id)}`).sort(),
    keys: [...tables.keys.rows()].map(({ sha256 }) => sha256).sort(),
    exceptions: [...tables.exceptions.rows()].map((row) => JSON.stringify(row)).sort(),
  };
}

describe('the writer of a snapshot', () => {
  it('writes a base, then a line for what changed together, private to its user', async (t) => {
    const kept = await keptSnapshot(t);
    await written(kept);
    assert.equal(statSync(kept.path).mode & 0o777, 0o600);
    const before = lineCount(kept.path);
    kept.source.change('p', 'api', ruleText(8));
    await kept.snapshot.refresh();
    kept.source.except('p', 'api', 'override', 'vip', { limitsText: '[{"name":"x","limit":9}]' });
    await kept.snapshot.refresh();
    kept.source.lift('p', 'login', 'block', 'mallory');
    await kept.snapshot.refresh();
    await written(kept);
    assert.equal(lineCount(kept.path), before + 1);
    assert.deepEqual(await onDisk(kept.path), inMemory(kept));
  });

  it('leaves on the disk what is in memory, whatever happens to the configuration', async (t) => {
    const project = fc.constantFrom('p', 'q', 'r');
    const name = fc.constantFrom('api', 'login');
    const match = fc.constantFrom('a', 'b', 'c');
    const op = fc.constantFrom(
      'change',
      'delete',
      'drop',
      'except',
      'lift',
      'key',
      'write',
      'goBack',
      'limit',
    );
    const step = fc.record({ op, project, name, match });
    const take = (source: FakeSource, { op, project: p, name: n, match: m }: Step) => {
      if (op === 'change') source.change(p, n, ruleText(source.revision + 1));
      if (op === 'limit') source.limitCalls(p, m === 'a' ? undefined : source.revision);
      if (op === 'delete') source.change(p, n);
      if (op === 'drop') source.drop(p);
      if (op === 'except' && source.namespaces.has(`ns_${p}_${n}`)) source.except(p, n, 'block', m);
      if (op === 'lift') source.lift(p, n, 'block', m);
      if (op === 'key') source.addKey(p, `${p}${m}`);
    };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
        const ends: (() => Promise<void>)[] = [];
        const after = (end: unknown) => void ends.push(end as () => Promise<void>);
        const kept = await keeping({ after } as never, new FakeSource(), join(temporaryDirectory(t), 's'));
        await until(kept.time, () => kept.writer.stats().bytes > 0);
        for (const one of steps) {
          take(kept.source, one);
          if (one.op === 'goBack') {
            // A backup of a little while ago, and changes since.
            kept.source.revision = Math.max(0, kept.source.revision - 3);
            for (const [id, at] of kept.source.projects) {
              kept.source.projects.set(id, Math.min(at, kept.source.revision));
            }
            kept.source.removals = [];
            for (const [id, row] of kept.source.exceptions) {
              kept.source.exceptions.set(id, {
                ...row,
                revision: Math.min(row.revision, kept.source.revision),
              });
            }
            await kept.snapshot.refresh();
          }
          if (one.op === 'write') {
            await kept.snapshot.refresh();
            await written(kept);
          }
        }
        await kept.snapshot.refresh();
        for (const end of ends) await end();
        assert.deepEqual(await onDisk(kept.path), inMemory(kept));
      }),
      { numRuns: 40 },
    );
  });

  it('confirms the file once a minute while nothing changes, and when it ends', async (t) => {
    const kept = await keptSnapshot(t);
    await written(kept);
    const before = lineCount(kept.path);
    await kept.time.advance(59_000);
    assert.equal(lineCount(kept.path), before);
    await until(kept.time, () => lineCount(kept.path) === before + 1);
    await kept.time.advance(10_000);
    await kept.snapshot.stop();
    await kept.writer.close();
    assert.equal(lineCount(kept.path), before + 2);
    const { snapshot } = await found(kept.path);
    assert.ok(kept.time.nowMs() - (snapshot?.confirmedAtMs ?? 0) < 2000);
  });

  it('writes the file anew when the changes outgrow it', async (t) => {
    const kept = await keptSnapshot(t);
    await written(kept);
    let bytesMax = 0;
    for (let change = 0; change < 40; change += 1) {
      for (let one = 0; one < 300; one += 1)
        kept.source.except('p', 'api', 'block', `${one}`.padEnd(200, 'x'));
      await written(kept);
      bytesMax = Math.max(bytesMax, statSync(kept.path).size);
    }
    assert.ok(bytesMax < 3 << 20, `${bytesMax} bytes for 300 exceptions of 300 bytes`);
    assert.deepEqual(await onDisk(kept.path), inMemory(kept));
  });

  it('tells a change of more than 20,000 rows by writing the file anew', async (t) => {
    const kept = await keptSnapshot(t);
    await written(kept);
    const before = statSync(kept.path).ino;
    for (let one = 0; one < 20_001; one += 1) kept.source.except('p', 'api', 'block', `many-${one}`);
    await written(kept);
    assert.notEqual(statSync(kept.path).ino, before);
    assert.deepEqual(await onDisk(kept.path), inMemory(kept));
  });

  it('goes on when the disk is full, says so once, and catches up', async (t) => {
    const kept = await keptSnapshot(t);
    await written(kept);
    const revision = kept.source.revision;
    const limitFileSize = (bytes: string) =>
      execFileSync('prlimit', ['--pid', String(process.pid), `--fsize=${bytes}:`]);
    limitFileSize(String(statSync(kept.path).size + 10));
    try {
      for (let change = 0; change < 5; change += 1) {
        kept.source.change('p', 'api', ruleText(100 + change));
        await kept.snapshot.refresh();
        await until(kept.time, () => kept.writer.stats().writeFailures > change);
      }
      assert.equal(kept.snapshot.namespace('p', 'api')?.rule.limits[0]?.limit, 104);
      assert.equal((await onDisk(kept.path)).revision, revision);
      assert.equal(kept.log.lines.filter((line) => /^warn: .*can't be written to disk/.test(line)).length, 1);
      assert.deepEqual(readdirSync(dirname(kept.path)), ['snapshot.brume']);
    } finally {
      limitFileSize('unlimited');
    }
    await written(kept);
    assert.deepEqual(await onDisk(kept.path), inMemory(kept));
    assert.ok(kept.log.lines.includes('info: the snapshot can be written to disk again'));
  });

  it('makes its directory, and goes on where it can not', async (t) => {
    const directory = temporaryDirectory(t);
    const kept = await keptSnapshot(t, join(directory, 'new', 'snapshot.brume'));
    await written(kept);
    writeFileSync(join(directory, 'file'), '');
    const hopeless = await keptSnapshot(t, join(directory, 'file', 'snapshot.brume'));
    await until(hopeless.time, () => hopeless.writer.stats().writeFailures > 2);
    assert.equal(hopeless.log.lines.filter((line) => line.startsWith('warn')).length, 1);
  });

  it('writes the file again if somebody removes it', async (t) => {
    const kept = await keptSnapshot(t);
    await written(kept);
    rmSync(kept.path);
    kept.source.change('p', 'api', ruleText(9));
    await written(kept);
    assert.deepEqual(await onDisk(kept.path), inMemory(kept));
  });

  it('leaves the file to a process that started later, and takes over when that one is gone', async (t) => {
    const first = await keptSnapshot(t);
    await written(first);
    const second = await keeping(t, first.source, first.path);
    await written(second);
    // Files have the time of the system, not of the test.
    const touch = (kept: Kept) => utimesSync(kept.path, kept.time.nowMs() / 1000, kept.time.nowMs() / 1000);
    touch(first);
    const { ino } = statSync(first.path);
    first.source.change('p', 'api', ruleText(9));
    await first.snapshot.refresh();
    await written(second);
    touch(first);
    await first.time.advance(120_000);
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(statSync(first.path).ino, ino);
    assert.equal(first.writer.stats().bytes, 0);

    await second.snapshot.stop();
    first.source.change('p', 'api', ruleText(10));
    await until(first.time, () => first.writer.stats().bytes > 0);
    await written(first);
    assert.notEqual(statSync(first.path).ino, ino);
    assert.deepEqual(await onDisk(first.path), inMemory(first));
  });

  it('removes what a process left that was killed while it wrote, and not what one writes now', async (t) => {
    const directory = temporaryDirectory(t);
    for (const name of ['s.111.new', 's.222.new', 's.other-333', 's'])
      writeFileSync(join(directory, name), '');
    await removeLeftovers(join(directory, 's'), (pid) => pid === 111);
    assert.deepEqual(readdirSync(directory).sort(), ['s', 's.222.new', 's.other-333']);
  });
});

describe('a snapshot that was restored from disk', () => {
  it('decides as before, says where it comes from, and reads everything anew when the store answers', async (t) => {
    const kept = await keptSnapshot(t);
    await written(kept);
    await kept.snapshot.stop();
    const { source } = kept;
    const [time, log] = [new ManualTime(), new RecordedLog()];
    await time.advance(kept.time.monotonicMs() + 7_000);
    source.isAway = true;
    const cache = await restored(kept.path, source, time, log);
    await cache.start();
    assert.equal(cache.namespace('p', 'api')?.rule.limits[0]?.limit, 5);
    assert.equal(cache.key('a'.repeat(64))?.scopes.join(), 'limit,peek');
    const login = cache.namespace('p', 'login');
    assert.equal(cache.exception(login?.id ?? '', 'text', 'mallory', time.nowMs())?.kind, 'block');
    const { ageMs, ...state } = cache.state();
    assert.deepEqual(state, { isLoaded: true, revision: source.revision, isStale: true, source: 'disk' });
    // However long the disk took, the confirmation on it is none from before the start.
    assert.ok(ageMs >= 7000 && ageMs <= time.monotonicMs());

    // The backup of an earlier state, and changes since: the revision alone would tell nothing.
    source.exceptions.clear();
    source.isAway = false;
    await time.advance(1000);
    assert.equal(cache.exception(login?.id ?? '', 'text', 'mallory', time.nowMs()), undefined);
    assert.equal(cache.state().source, 'store');
    assert.equal(cache.state().isStale, false);
    await cache.stop();
  });
});
