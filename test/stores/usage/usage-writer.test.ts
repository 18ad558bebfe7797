import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { UsageCounts } from '../../../src/stores/usage/usage-counts.ts';
import type { UsageAges, UsageBatch, UsageRecord } from '../../../src/stores/usage/usage-record.ts';
import { UsageWriter } from '../../../src/stores/usage/usage-writer.ts';
import { ManualTime } from '../../support/manual-time.ts';
import { RecordedLog } from '../../support/recorded-log.ts';
import { DAY_MS, HOUR_MS } from '../../support/usage-tallies.ts';

const EVERY_MS = 10_000;

describe('writing usage', () => {
  let time: ManualTime;
  let log: RecordedLog;
  let counts: UsageCounts;
  let writer: UsageWriter;
  /** As the record has it: a batch that comes again is known by its number. */
  let added: Map<number, UsageBatch['tallies']>;
  let attempts: UsageBatch[];
  let pruned: UsageAges[];
  let fault: 'none' | 'away' | 'answer lost';

  const count = (times = 1, keyId = 'key_1') => {
    const namespace = { id: 'ns_1', projectId: 'prj_1', name: 'api' };
    for (let n = 0; n < times; n++) {
      counts.count({ namespace, keyId, cost: 1, peek: false }, { success: true, degraded: false }, false);
    }
  };
  const onRecord = () => [...added.values()].flat().reduce((total, { allowed }) => total + allowed, 0);

  beforeEach(() => {
    time = new ManualTime();
    log = new RecordedLog();
    counts = new UsageCounts({ clock: time, talliesMax: 3000 });
    added = new Map();
    attempts = [];
    pruned = [];
    fault = 'none';
    const record: UsageRecord = {
      addUsage: async (batch) => {
        attempts.push(structuredClone(batch));
        if (fault !== 'away' && !added.has(batch.number)) added.set(batch.number, batch.tallies);
        if (fault !== 'none') throw new Error(fault);
      },
      pruneUsage: async (ages) => {
        if (fault !== 'none') throw new Error(fault);
        return pruned.push(ages) % 2 === 1;
      },
    };
    const options = { counts, record, clock: time, timers: time, log, writtenEveryMs: EVERY_MS };
    writer = new UsageWriter(options);
  });

  it('happens every so often, once for each batch, and not at all where nothing was counted', async () => {
    count(3);
    await time.advance(EVERY_MS - 1);
    assert.equal(attempts.length, 0);
    await time.advance(1);
    assert.equal(onRecord(), 3);
    await time.advance(5 * EVERY_MS);
    assert.equal(attempts.length, 1);
    count();
    await time.advance(EVERY_MS);
    assert.equal(onRecord(), 4);
    assert.deepEqual(writer.stats(), { pending: 0, written: 2, failures: 0, dropped: 0 });
  });

  it('of a batch whose outcome nobody knows nothing is added twice, and nothing of it is lost', async () => {
    count(3);
    fault = 'answer lost';
    await time.advance(EVERY_MS);
    count(4);
    await time.advance(EVERY_MS);
    fault = 'none';
    await time.advance(EVERY_MS);
    assert.equal(onRecord(), 7);
    const [first, second, third] = attempts;
    assert.deepEqual([second, third], [first, first]);
    assert.deepEqual(
      attempts.map(({ number }) => number),
      [1, 1, 1, 2],
    );
  });

  it('waits while the store is away, each hour in one place, and is told once at either end', async () => {
    fault = 'away';
    for (let minute = 0; minute < 120; minute++) {
      count();
      await time.advance(60_000);
    }
    const { pending, failures } = writer.stats();
    assert.ok(pending <= 5, `${pending} places for three hours, one of them taken before`);
    assert.ok(failures > 100);
    fault = 'none';
    await time.advance(EVERY_MS);
    assert.equal(onRecord(), 120);
    assert.deepEqual(log.lines, [
      'warn: usage can not be written; it waits in memory',
      'info: usage is written again',
    ]);
  });

  it('a failure in the middle of many batches goes on where it was', async () => {
    for (let n = 0; n < 600; n++) count(1, `key_${n}`);
    fault = 'answer lost';
    await time.advance(EVERY_MS);
    fault = 'none';
    await time.advance(EVERY_MS);
    assert.deepEqual(
      attempts.map(({ number, tallies }) => [number, tallies.length]),
      [
        [1, 250],
        [1, 250],
        [2, 250],
        [3, 100],
      ],
    );
    assert.equal(onRecord(), 600);
    assert.equal(writer.stats().pending, 0);
  });

  it('what finds no place while the store is away is counted as dropped, and said', async () => {
    fault = 'away';
    for (let n = 0; n < 3010; n++) count(1, `key_${n}`);
    await time.advance(EVERY_MS);
    count(1, 'key_other');
    await time.advance(EVERY_MS);
    const { pending, dropped } = writer.stats();
    assert.deepEqual([pending, dropped], [3000, 11]);
    assert.equal(log.lines.filter((line) => /more usage waits/.test(line)).length, 2);
  });

  it('is done at the stop, too, which does not fail if the store is away', async () => {
    count(2);
    await writer.stop();
    assert.equal(onRecord(), 2);
    fault = 'away';
    count();
    await writer.stop();
    await time.advance(5 * EVERY_MS);
    assert.deepEqual([onRecord(), time.timerCount], [2, 0]);
  });

  it('what is older than 35 days by the hour, 400 by the day, goes once an hour, slice by slice', async () => {
    await time.advance(EVERY_MS);
    assert.equal(pruned.length, 2);
    const nowMs = time.nowMs();
    assert.deepEqual(pruned[0], {
      hoursMs: nowMs - 35 * DAY_MS,
      daysMs: nowMs - 400 * DAY_MS,
      writersMs: nowMs - 35 * DAY_MS,
      limit: 1000,
    });
    await time.advance(HOUR_MS - EVERY_MS);
    assert.equal(pruned.length, 2);
    fault = 'away';
    await time.advance(EVERY_MS);
    fault = 'none';
    await time.advance(EVERY_MS);
    assert.equal(pruned.length, 4);
  });
});
