import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { Clock } from '../../../src/limiter/clock.ts';
import type { LimitSet } from '../../../src/limiter/counters.ts';
import { WINDOW_ALGORITHMS } from '../../../src/limiter/limit.ts';
import type { EmbeddedCounters } from '../../../src/stores/embedded/embedded-counters.ts';
import { openEmbeddedCounters } from '../../../src/stores/embedded/open-embedded-counters.ts';
import { readCounters, writeCounters } from '../../../src/stores/embedded/stored-counters.ts';
import { CounterFile } from '../../../src/stores/sql/counter-file.ts';
import { SqliteSql } from '../../../src/stores/sql/sqlite-sql.ts';
import { freshKey, quotaOf, setOf } from '../../support/counter-engines.ts';
import { RecordedLog } from '../../support/recorded-log.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { TwoClocks } from '../../support/two-clocks.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const MINUTE = setOf({ algorithm: 'fixed_window', limit: 10, windowMs: MINUTE_MS });
const timers = { after: () => () => undefined };

class Directory {
  readonly stateDir: string;
  readonly log = new RecordedLog();
  readonly clocks = new TwoClocks();
  readonly #test: TestContext;

  constructor(test: TestContext) {
    this.#test = test;
    this.stateDir = temporaryDirectory(test);
  }

  async open(clock: Clock = this.clocks, isDirectoryOwned = false): Promise<EmbeddedCounters> {
    const { stateDir, log } = this;
    const options = { stateDir, isDirectoryOwned, clock, timers, log, identifiersMax: 1000 };
    const counters = await openEmbeddedCounters(options);
    this.#test.after(() => counters.close());
    return counters;
  }

  /** The next process, in which the monotonic clock begins anew. */
  reopen(): Promise<EmbeddedCounters> {
    return this.open(this.clocks.ofNextProcess());
  }

  path(name: string): string {
    return join(this.stateDir, name);
  }
}

function check(counters: EmbeddedCounters, key: string, set: LimitSet, cost = 1) {
  return counters.check({ key, set, cost, peek: false });
}

async function remaining(
  counters: EmbeddedCounters,
  key: string,
  set: LimitSet,
): Promise<number | undefined> {
  return (await counters.check({ key, set, cost: 0, peek: true })).limits[0]?.remaining;
}

describe('the file of the embedded counters', () => {
  const sets = [
    ...WINDOW_ALGORITHMS.map((algorithm) => setOf({ algorithm, limit: 10, windowMs: MINUTE_MS })),
    { limits: [quotaOf(10, 'month')] },
    { limits: [quotaOf(10, 'never')] },
  ];
  for (const set of sets) {
    it(`a planned restart keeps what was counted: ${set.limits[0]?.algorithm} ${set.limits[0]?.name}`, async (t) => {
      const directory = new Directory(t);
      const key = freshKey();
      const before = await directory.open();
      await check(before, key, set, 7);
      await before.close();
      assert.equal(await remaining(await directory.reopen(), key, set), 3);
    });
  }

  it('a planned restart keeps leases, reservations and request ids', async (t) => {
    const directory = new Directory(t);
    const key = freshKey();
    const places: LimitSet = {
      limits: [
        {
          name: 'places',
          mode: 'enforce',
          algorithm: 'concurrency',
          limit: 2,
          ttlMs: MINUTE_MS,
          identity: 0,
        },
        ...MINUTE.limits,
      ],
    };
    const before = await directory.open();
    await before.check({ key, set: places, cost: 1, peek: false, holder: 'one:60000', requestKey: 'first' });
    await before.check({ key, set: MINUTE, cost: 5, peek: false, reservation: 'two:60000' });
    await before.close();

    const after = await directory.reopen();
    const again = await after.check({
      key,
      set: places,
      cost: 1,
      peek: false,
      holder: 'three:60000',
      requestKey: 'first',
    });
    assert.deepEqual([again.isRepeated, again.token], [true, 'one:60000']);
    assert.deepEqual(
      (await after.listLeases(key)).map(({ holder }) => holder),
      ['one:60000'],
    );
    const settled = await after.settle({ key, set: MINUTE, token: 'two:60000', cost: 2 });
    assert.deepEqual(settled, { reserved: 5, actual: 2, isLate: false });
    assert.equal(await remaining(after, key, MINUTE), 7);
  });

  it('can be read by its user alone', async (t) => {
    const directory = new Directory(t);
    await directory.open();
    for (const name of readdirSync(directory.stateDir))
      assert.equal(statSync(directory.path(name)).mode & 0o777, 0o600, name);
  });

  it('a second process on the directory is refused, whichever of its files either uses', async (t) => {
    const directory = new Directory(t);
    const counters = await directory.open();
    const refusal = { name: 'StateDirError', message: /another Brume process is using the state directory/ };
    await assert.rejects(directory.open(), refusal);
    await assert.rejects(SqliteSql.open({ stateDir: directory.stateDir, timeoutMs: 1000 }), refusal);
    await counters.close();
    const sql = await SqliteSql.open({ stateDir: directory.stateDir, timeoutMs: 1000 });
    t.after(() => sql.close());
    await assert.rejects(directory.open(), refusal);
    // With the embedded database in the same directory it is that which holds the lock.
    await check(await directory.open(directory.clocks, true), freshKey(), MINUTE);
  });

  it('a file of a newer version is refused, and says what to do', async (t) => {
    const directory = new Directory(t);
    const { stateDir } = directory;
    const newer = await CounterFile.open({ stateDir, isDirectoryOwned: false, formatVersion: 99 });
    await newer.close();
    await assert.rejects(directory.open(), {
      name: 'StateDirError',
      message: /counters\.sqlite was written by a newer Brume, in format 99 .* start the newer one again/,
    });
  });

  for (const [what, damage] of [
    ['is no database', () => 'this is no database'.repeat(1000)],
    [
      'has damaged pages',
      (content: Buffer) => Buffer.concat([content.subarray(0, 100), content.subarray(100).fill(7)]),
    ],
  ] as const) {
    it(`a file that ${what} is set aside and logged, and counting begins anew`, async (t) => {
      const directory = new Directory(t);
      const key = freshKey();
      const before = await directory.open();
      await check(before, key, MINUTE, 7);
      await before.close();
      const damaged = damage(readFileSync(directory.path('counters.sqlite')));
      writeFileSync(directory.path('counters.sqlite'), damaged);

      const after = await directory.reopen();
      assert.equal(await remaining(after, key, MINUTE), 10);
      assert.deepEqual(directory.log.lines, [
        'error: the file of the embedded counters is damaged and was set aside: counting begins anew',
      ]);
      const aside = readdirSync(directory.stateDir).find((name) =>
        name.startsWith('counters.sqlite.damaged-'),
      );
      assert.deepEqual(readFileSync(directory.path(aside ?? '')), Buffer.from(damaged));
      await check(after, key, MINUTE, 2);
      await after.close();
      assert.equal(await remaining(await directory.reopen(), key, MINUTE), 8);
    });
  }

  it('while it was down the clock was set back: what was used stays, and lasts no longer than it would have', async (t) => {
    const directory = new Directory(t);
    const key = freshKey();
    const before = await directory.open();
    await check(before, key, MINUTE, 7);
    await before.close();
    directory.clocks.step(-DAY_MS);
    const after = await directory.reopen();
    assert.equal(await remaining(after, key, MINUTE), 3);
    assert.equal(after.size, 1);
    directory.clocks.pass(MINUTE_MS);
    await check(after, freshKey(), MINUTE);
    assert.equal(after.size, 1, 'the first has ended, and made room');
  });

  it('while it was down the clock was set forwards: windows end early', async (t) => {
    const directory = new Directory(t);
    const key = freshKey();
    const before = await directory.open();
    await check(before, key, MINUTE, 7);
    await before.close();
    directory.clocks.step(DAY_MS);
    const after = await directory.reopen();
    assert.equal(after.size, 0);
    assert.equal(await remaining(after, key, MINUTE), 10);
  });

  it('can be read while it is in use, and written where nobody uses it', async (t) => {
    const directory = new Directory(t);
    const key = freshKey();
    const counters = await directory.open();
    await check(counters, key, MINUTE, 7);
    await counters.reset('nobody');
    const { stateDir, clocks: clock } = directory;
    const { entries } = await readCounters({ stateDir, clock });
    assert.deepEqual(
      [...entries.entries()].map(([name]) => name),
      [key],
    );
    await assert.rejects(writeCounters({ stateDir, clock }, entries.entries()), /another Brume process/);

    const other = new Directory(t);
    await writeCounters({ stateDir: other.stateDir, clock }, entries.entries());
    assert.equal(await remaining(await other.open(clock), key, MINUTE), 3);
    assert.equal((await readCounters({ stateDir: temporaryDirectory(t), clock })).entries.size, 0);
  });

  it('what a checkpoint says of a quota counts only if it was observed later than the file was written', async (t) => {
    const directory = new Directory(t);
    const set = { limits: [quotaOf(100, 'never', { name: 'all' })] };
    const [quota] = set.limits;
    const key = freshKey();
    const before = await directory.open();
    await before.check({ key, set, cost: 60, peek: false, reservation: 'r:60000' });
    const observedMs = directory.clocks.nowMs();
    directory.clocks.pass(1000);
    await before.settle({ key, set, token: 'r:60000', cost: 10 });
    await before.close();
    const after = await directory.reopen();
    const checkpoint = {
      key,
      name: 'all',
      identity: quota?.identity ?? 0,
      startMs: 0,
      endMs: Number.MAX_SAFE_INTEGER,
      used: 60,
    };
    assert.equal(await after.restore([{ ...checkpoint, observedMs }]), 0);
    assert.equal(await remaining(after, key, set), 90);
    assert.equal(await after.restore([{ ...checkpoint, observedMs: observedMs + 5000 }]), 1);
    assert.equal(await remaining(after, key, set), 40);
  });
});
