import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { AuditPruner } from '../../../src/stores/audit-pruning/audit-pruner.ts';
import { ManualTime, settled } from '../../support/manual-time.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

function start(t: TestContext, { retentionDays, old = 0 }: { retentionDays: number; old?: number }) {
  const time = new ManualTime();
  const store = { old, aged: [] as number[], slices: [] as number[], isAway: false };
  const warnings: string[] = [];
  const audit = {
    ageAudit: async (beforeMs: number) => {
      if (store.isAway) throw new Error('away');
      store.aged.push(beforeMs);
    },
    pruneAudit: async (limit: number) => {
      const removed = Math.min(limit, store.old);
      store.old -= removed;
      store.slices.push(removed);
      return removed;
    },
  };
  const log = { warn: (_: object, message: string) => void warnings.push(message) };
  const pruner = new AuditPruner({ audit, clock: time, timers: time, log, retentionDays });
  t.after(() => pruner.stop());
  return { time, store, warnings, pruner };
}

test('a minute after the start and every hour, what is older than so many whole days goes, in slices', async (t) => {
  const { time, store, pruner } = start(t, { retentionDays: 400, old: 2500 });
  await time.advance(59_999);
  assert.deepEqual(store.aged, []);
  await time.advance(1);
  for (let turn = 0; turn < 10; turn++) await settled();
  const midnight = Math.floor(time.nowMs() / DAY_MS) * DAY_MS;
  assert.deepEqual(store.aged, [midnight - 400 * DAY_MS]);
  assert.deepEqual(store.slices, [1000, 1000, 500]);
  await time.advance(HOUR_MS);
  assert.equal(store.aged.length, 2);
  await pruner.stop();
  assert.equal(time.timerCount, 0);
});

test('0 days keep the audit for ever', async (t) => {
  const { time, store } = start(t, { retentionDays: 0, old: 10 });
  await time.advance(30 * DAY_MS);
  assert.deepEqual([store.aged, store.slices, time.timerCount], [[], [], 0]);
});

test('while the store is away it is said once an hour, and tried again', async (t) => {
  const { time, store, warnings } = start(t, { retentionDays: 1, old: 10 });
  store.isAway = true;
  await time.advance(60_000);
  await time.advance(HOUR_MS);
  assert.equal(warnings.length, 2);
  store.isAway = false;
  await time.advance(HOUR_MS);
  assert.deepEqual([warnings.length, store.old], [2, 0]);
});
