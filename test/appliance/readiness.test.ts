import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Readiness } from '../../src/appliance/readiness.ts';
import type { CountersCondition } from '../../src/limiter/counters-condition.ts';
import type { SnapshotState } from '../../src/policy/namespace.ts';

function node({ loaded = true } = {}) {
  const world = {
    nowMs: 0,
    asked: 0,
    condition: { state: 'available' } as CountersCondition,
    areCountersSaved: true,
    isReadOnly: false,
    snapshot: {
      isLoaded: loaded,
      isStale: false,
      revision: 7,
      ageMs: 12.4,
      source: 'store',
    } as SnapshotState,
  };
  const readiness = new Readiness({
    snapshot: { state: () => world.snapshot },
    condition: async () => {
      world.asked++;
      return world.condition;
    },
    clock: { monotonicMs: () => world.nowMs },
    isConfigurationReadOnly: () => world.isReadOnly,
    areCountersSaved: () => world.areCountersSaved,
  });
  return { readiness, world };
}

test('a node that starts is not ready', async () => {
  const { readiness } = node();
  const report = await readiness.report();
  assert.equal(report.isReady, false);
  assert.equal(report.status, 'starting');
});

test('a node that serves is ready and says how old its snapshot is', async () => {
  const { readiness } = node();
  readiness.startServing();
  assert.deepEqual(await readiness.report(), {
    isReady: true,
    status: 'ready',
    stores: { configuration: 'available', counters: 'available' },
    snapshot: { revision: 7, ageMs: 12, source: 'store' },
  });
});

for (const [state, fault] of [
  ['unavailable', 'refused'],
  ['full', 'oom'],
  ['read_only', 'misconf'],
] as const) {
  test(`a node whose counters are ${state} is degraded, still ready, and says why`, async () => {
    const { readiness, world } = node();
    readiness.startServing();
    world.condition = { state, fault };
    const report = await readiness.report();
    assert.equal(report.isReady, true);
    assert.equal(report.status, 'degraded');
    assert.deepEqual(report.stores, { configuration: 'available', counters: state, countersFault: fault });
  });
}

test('with a stale snapshot a node is degraded, and still ready', async () => {
  const { readiness, world } = node();
  readiness.startServing();
  world.snapshot = { isLoaded: true, isStale: true, revision: 7, ageMs: 5000, source: 'disk' };
  const report = await readiness.report();
  assert.equal(report.isReady, true);
  assert.equal(report.status, 'degraded');
  assert.deepEqual(report.stores, { configuration: 'unavailable', counters: 'available' });
});

for (const [what, change, stores] of [
  ['configuration', { isReadOnly: true }, { configuration: 'read_only', counters: 'available' }],
  ['counters', { areCountersSaved: false }, { configuration: 'available', counters: 'not_saved' }],
] as const) {
  test(`a node whose ${what} can't be written is degraded, still ready, and names the store`, async () => {
    const { readiness, world } = node();
    readiness.startServing();
    Object.assign(world, change);
    const report = await readiness.report();
    assert.equal(report.isReady, true);
    assert.equal(report.status, 'degraded');
    assert.deepEqual(report.stores, stores);
  });
}

test('a node without any configuration is not ready', async () => {
  const { readiness } = node({ loaded: false });
  readiness.startServing();
  const report = await readiness.report();
  assert.equal(report.isReady, false);
  assert.equal(report.status, 'unconfigured');
  assert.equal(report.snapshot, null);
});

test('a node that drains is not ready', async () => {
  const { readiness } = node();
  readiness.startServing();
  readiness.startDraining();
  const report = await readiness.report();
  assert.equal(report.isReady, false);
  assert.equal(report.status, 'draining');
});

test('the counter store is asked at most once a second, however often /ready is asked', async () => {
  const { readiness, world } = node();
  readiness.startServing();
  await Promise.all(Array.from({ length: 50 }, () => readiness.report()));
  assert.equal(world.asked, 1);
  world.nowMs = 1000;
  world.condition = { state: 'unavailable' };
  assert.equal((await readiness.report()).status, 'degraded');
  assert.equal(world.asked, 2);
});

test('a node whose counters are partly away is degraded, and says which slots are', async () => {
  const { readiness, world } = node();
  readiness.startServing();
  const slotsAway = ['0-5460'];
  world.condition = { state: 'partly_available', fault: 'refused', slotsAway };
  const { isReady, status, stores } = await readiness.report();
  assert.ok(isReady);
  assert.equal(status, 'degraded');
  assert.deepEqual(stores, {
    configuration: 'available',
    counters: 'partly_available',
    countersFault: 'refused',
    slotsAway,
  });
});
