import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { CountersError } from '../../../src/limiter/counters.ts';
import type { EmbeddedCounters } from '../../../src/stores/embedded/embedded-counters.ts';
import { goOnWith } from '../../../src/stores/embedded/open-embedded-counters.ts';
import { freshKey, setOf } from '../../support/counter-engines.ts';
import { ManualTime } from '../../support/manual-time.ts';
import { MemoryCounterFile } from '../../support/memory-counter-file.ts';
import { RecordedLog } from '../../support/recorded-log.ts';

const HOUR = setOf({ algorithm: 'fixed_window', limit: 1_000_000, windowMs: 3_600_000 });
const INTERVAL_MS = 500;

describe('embedded counters on disk', () => {
  let time: ManualTime;
  let file: MemoryCounterFile;
  let log: RecordedLog;
  beforeEach(() => {
    time = new ManualTime();
    file = new MemoryCounterFile();
    log = new RecordedLog();
  });

  function open(identifiersMax = 100_000, from = file): Promise<EmbeddedCounters> {
    return goOnWith(from, { clock: time, timers: time, log, identifiersMax });
  }

  /** What a process finds that starts after this one was killed. */
  function afterCrash(): Promise<EmbeddedCounters> {
    const copy = new MemoryCounterFile();
    copy.batches = [...file.batches];
    return open(undefined, copy);
  }

  async function use(counters: EmbeddedCounters, key: string, cost = 1, set = HOUR): Promise<void> {
    const { admitted } = await counters.check({ key, set, cost, peek: false });
    assert.ok(admitted);
  }

  async function usedOf(counters: EmbeddedCounters, key: string, set = HOUR): Promise<number> {
    const { limits } = await counters.check({ key, set, cost: 0, peek: true });
    return (set.limits[0]?.limit ?? 0) - (limits[0]?.remaining ?? 0);
  }

  /** Written as it is every half second. */
  async function round(counters: EmbeddedCounters): Promise<void> {
    await counters.reset('nobody');
  }

  it('while it can not be written they say so, how often it failed, and how long the oldest change waits', async () => {
    const counters = await open();
    await time.advance(INTERVAL_MS);
    assert.deepEqual([counters.isSaved, counters.stats().flush], [true, { failures: 0, lagMs: 0 }]);
    file.isFailing = true;
    await use(counters, freshKey());
    await time.advance(4 * INTERVAL_MS);
    assert.equal(counters.isSaved, false);
    assert.deepEqual(counters.stats().flush, { failures: 4, lagMs: 4 * INTERVAL_MS });
    file.isFailing = false;
    await time.advance(INTERVAL_MS);
    assert.deepEqual([counters.isSaved, counters.stats().flush], [true, { failures: 4, lagMs: 0 }]);
  });

  it('that nothing is left to write is no proof that it could be', async () => {
    const counters = await open();
    file.isFailing = true;
    await use(counters, freshKey(), 1, setOf({ algorithm: 'fixed_window', limit: 5, windowMs: 2000 }));
    await time.advance(10 * INTERVAL_MS);
    assert.equal(counters.isSaved, false);
    file.isFailing = false;
    await time.advance(INTERVAL_MS);
    assert.equal(counters.isSaved, true);
    const { writeCount } = file;
    await time.advance(10 * INTERVAL_MS);
    assert.equal(file.writeCount, writeCount, 'and it is proved once');
    assert.equal(await usedOf(await afterCrash(), freshKey()), 0);
  });

  it('what was counted is written within half a second, and again when it changes', async () => {
    const counters = await open();
    const key = freshKey();
    await use(counters, key, 3);
    await time.advance(INTERVAL_MS);
    assert.equal(await usedOf(await afterCrash(), key), 3);
    await use(counters, key, 2);
    assert.equal(await usedOf(await afterCrash(), key), 3);
    await time.advance(INTERVAL_MS);
    assert.equal(await usedOf(await afterCrash(), key), 5);
  });

  it('where nothing changes nothing is written', async () => {
    const counters = await open();
    await use(counters, freshKey());
    await time.advance(INTERVAL_MS);
    const { writeCount } = file;
    await time.advance(20 * INTERVAL_MS);
    assert.equal(file.writeCount, writeCount);
  });

  it('what ends within half a second is written at a planned end only', async () => {
    const short = setOf({ algorithm: 'gcra', limit: 100, windowMs: 1000 });
    const counters = await open();
    const key = freshKey();
    await use(counters, key, 40, short);
    await time.advance(100);
    await round(counters);
    assert.equal(file.entryCount, 0);
    await counters.close();
    assert.equal(await usedOf(await afterCrash(), key, short), 30);
    assert.ok(file.isClosed);
  });

  it('a reset is on disk before it answers, and takes everything written before with it', async () => {
    const counters = await open();
    const key = freshKey();
    await use(counters, key, 3);
    await time.advance(INTERVAL_MS);
    await counters.reset(key);
    assert.equal(await usedOf(await afterCrash(), key), 0);
  });

  it('the file does not grow without end, and keeps those who are not used, also where writes fail in between', async () => {
    const counters = await open();
    const idle = Array.from({ length: 500 }, freshKey);
    await Promise.all(idle.map((key) => use(counters, key, 7)));
    const busy = Array.from({ length: 100 }, freshKey);
    for (let times = 0; times <= 400; times++) {
      if (times < 400) await Promise.all(busy.map((key) => use(counters, key)));
      file.isFailing = times % 2 === 1;
      const { writeCount } = file;
      await time.advance(INTERVAL_MS);
      // Encoding makes pauses of real time.
      while (file.writeCount === writeCount) await delay(1);
    }
    assert.ok(file.entryCount < 20_000, `${file.entryCount} of 40,000 are left`);
    const reopened = await afterCrash();
    for (const key of busy) assert.equal(await usedOf(reopened, key), 400);
    for (const key of idle) assert.equal(await usedOf(reopened, key), 7);
  });

  it('what now ends within half a second, and did not before, keeps its request ids over a planned restart', async () => {
    const counters = await open();
    const key = freshKey();
    const asked = { key, cost: 1, peek: false, requestKey: 'first' };
    await counters.check({ ...asked, set: HOUR });
    await time.advance(59_700);
    const short = setOf({ algorithm: 'gcra', limit: 10, windowMs: 100 });
    await use(counters, key, 1, short);
    await round(counters);
    await counters.close();
    assert.ok((await (await afterCrash()).check({ ...asked, set: short })).isRepeated);
  });

  it('while nothing can be written checks go on, a reset is refused and resets nothing, and it is logged once', async () => {
    const counters = await open();
    const key = freshKey();
    await use(counters, key, 3);
    file.isFailing = true;
    await time.advance(4 * INTERVAL_MS);
    await use(counters, key, 2);
    await assert.rejects(
      counters.reset(key),
      (error) => error instanceof CountersError && error.fault === 'unavailable',
    );
    assert.equal(await usedOf(counters, key), 5);
    assert.deepEqual(
      log.lines.map((line) => line.slice(0, 60)),
      ['error: the embedded counters can not be written to disk: che'],
    );
    await time.advance(60_000);
    assert.equal(log.lines.length, 2, 'and again each minute');

    file.isFailing = false;
    await time.advance(2 * INTERVAL_MS);
    assert.equal(log.lines.at(-1), 'info: the embedded counters are written to disk again');
    assert.equal(await usedOf(await afterCrash(), key), 5);
    await counters.reset(key);
    assert.equal(await usedOf(await afterCrash(), key), 0);
  });

  it('the answers under request ids are written once each, and in full after a write that failed', async () => {
    const counters = await open();
    const key = freshKey();
    const ask = (on: EmbeddedCounters, id: number) =>
      on.check({ key, set: HOUR, cost: 1, peek: false, requestKey: `id-${id}` });
    for (let id = 0; id < 100; id++) {
      await ask(counters, id);
      file.isFailing = id % 7 === 0;
      await time.advance(INTERVAL_MS / 10);
      if (id % 10 === 9) await time.advance(INTERVAL_MS);
    }
    file.isFailing = false;
    await time.advance(2 * INTERVAL_MS);
    const writtenBytes = file.batches.at(-1)?.entries.length ?? 0;
    await ask(counters, 100);
    await time.advance(INTERVAL_MS);
    assert.ok((file.batches.at(-1)?.entries.length ?? 0) < writtenBytes / 2, 'one answer, not a hundred');
    const reopened = await afterCrash();
    for (let id = 0; id <= 100; id++) assert.ok((await ask(reopened, id)).isRepeated, `id-${id}`);
    assert.equal(await usedOf(reopened, key), 101);
  });

  it('of more identifiers than the maximum those used last are read, and the file is freed of the others', async () => {
    const keys = Array.from({ length: 10 }, freshKey);
    const counters = await open();
    for (const key of keys) {
      await use(counters, key, 2);
      await round(counters);
    }
    await counters.close();
    const fewer = await open(4);
    assert.equal(fewer.size, 4);
    assert.match(log.lines.at(-1) ?? '', /^warn: .*BRUME_EMBEDDED_IDENTIFIERS_MAX/);
    await fewer.close();
    const reopened = await open();
    const used = await Promise.all(keys.map((key) => usedOf(reopened, key)));
    assert.deepEqual(used, [0, 0, 0, 0, 0, 0, 2, 2, 2, 2]);
  });

  it('what is damaged is left out, counted in one line, and gone from the file afterwards', async () => {
    const keys = Array.from({ length: 3 }, freshKey);
    const counters = await open();
    for (const key of keys) {
      await use(counters, key, 2);
      await round(counters);
    }
    await counters.close();
    const [first, second, ...rest] = file.batches;
    assert.ok(first !== undefined && second !== undefined);
    file.batches = [
      { ...first, entries: first.entries.slice(0, -10) },
      { ...second, entries: second.entries.replace('"f"', '"x"') },
      ...rest,
    ];
    const reopened = await open();
    const used = await Promise.all(keys.map((key) => usedOf(reopened, key)));
    assert.deepEqual(used, [0, 0, 2]);
    assert.deepEqual(log.lines, [
      'info: embedded counters read from disk',
      'error: some of the embedded counters are damaged and were left out',
    ]);
    await reopened.close();
    await open();
    assert.equal(log.lines.filter((line) => line.startsWith('error')).length, 1);
  });
});
