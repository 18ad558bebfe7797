import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UsageCounts } from '../../../src/stores/usage/usage-counts.ts';
import { ManualTime } from '../../support/manual-time.ts';
import { HOUR_MS } from '../../support/usage-tallies.ts';

const ALLOWED = { success: true, degraded: false };
const DENIED = { success: false, degraded: false };
const API = { id: 'ns_1', projectId: 'prj_1', name: 'api' };
const checkOf = (more: object = {}) => ({ namespace: API, keyId: 'key_1', cost: 1, peek: false, ...more });

test('verdicts are counted by hour, namespace and key, with the cost of the allowed ones', async () => {
  const time = new ManualTime();
  const counts = new UsageCounts({ clock: time });
  const hourMs = time.nowMs() - (time.nowMs() % HOUR_MS);
  const count = (check: object, verdict = ALLOWED) => counts.count(checkOf(check), verdict, false);
  count({ cost: 5 });
  count({ cost: 7 });
  count({ cost: 9 }, DENIED);
  count({ cost: 0 }, { success: true, degraded: true });
  count({ keyId: undefined }, { success: false, degraded: true });
  count({ namespace: { ...API, id: 'ns_2', name: 'login' } });
  await time.advance(HOUR_MS);
  count({});
  const one = { projectId: 'prj_1', namespace: 'api', keyId: 'key_1', hourMs };
  assert.deepEqual(counts.take(), [
    { ...one, allowed: 3, denied: 1, degraded: 1, cost: 12 },
    { ...one, keyId: '', allowed: 0, denied: 1, degraded: 1, cost: 0 },
    { ...one, namespace: 'login', allowed: 1, denied: 0, degraded: 0, cost: 1 },
    { ...one, hourMs: hourMs + HOUR_MS, allowed: 1, denied: 0, degraded: 0, cost: 1 },
  ]);
});

test('a peek, and an answer that repeats an earlier one, use nothing', () => {
  const counts = new UsageCounts({ clock: new ManualTime() });
  counts.count(checkOf({ peek: true }), ALLOWED, false);
  counts.count(checkOf(), ALLOWED, true);
  assert.deepEqual(counts.take(), []);
});

test('after taking, counting begins anew, and what was taken is left alone', () => {
  const counts = new UsageCounts({ clock: new ManualTime() });
  counts.count(checkOf(), ALLOWED, false);
  const [taken] = counts.take();
  counts.count(checkOf(), DENIED, false);
  assert.deepEqual([taken?.allowed, taken?.denied], [1, 0]);
  assert.deepEqual(
    counts.take().map(({ allowed, denied }) => [allowed, denied]),
    [[0, 1]],
  );
});

test('memory is bounded: beyond it nothing new is counted, what has a place goes on, and the rest is told', () => {
  const counts = new UsageCounts({ clock: new ManualTime(), talliesMax: 2 });
  for (let n = 0; n < 100; n++) counts.count(checkOf({ keyId: `key_${n}` }), ALLOWED, false);
  counts.count(checkOf({ keyId: 'key_0' }), ALLOWED, false);
  assert.deepEqual([counts.size, counts.dropped], [2, 98]);
  const taken = counts.take();
  assert.deepEqual(
    taken.map(({ allowed }) => allowed),
    [2, 1],
  );
  counts.count(checkOf({ keyId: 'key_5' }), ALLOWED, false);
  assert.deepEqual([counts.size, counts.dropped], [2, 99]);
  counts.release(2);
  counts.count(checkOf({ keyId: 'key_5' }), ALLOWED, false);
  assert.deepEqual([counts.size, counts.dropped], [1, 99]);
});

test('a cost beyond the whole numbers stays at the largest (B18)', () => {
  const counts = new UsageCounts({ clock: new ManualTime() });
  for (let n = 0; n < 3; n++) counts.count(checkOf({ cost: Number.MAX_SAFE_INTEGER }), ALLOWED, false);
  assert.equal(counts.take()[0]?.cost, Number.MAX_SAFE_INTEGER);
});

test('an hour that a clock set back counts once more goes to the earlier hour', async () => {
  let nowMs = 10 * HOUR_MS;
  const counts = new UsageCounts({ clock: { nowMs: () => nowMs } });
  counts.count(checkOf(), ALLOWED, false);
  nowMs -= 1;
  counts.count(checkOf(), ALLOWED, false);
  assert.deepEqual(
    counts.take().map(({ hourMs }) => hourMs / HOUR_MS),
    [10, 9],
  );
});
