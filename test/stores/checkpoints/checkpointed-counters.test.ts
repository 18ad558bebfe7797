import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CountersError, type LimitSet } from '../../../src/limiter/counters.ts';
import { CheckpointedCounters } from '../../../src/stores/checkpoints/checkpointed-counters.ts';
import type { RestorableCounters } from '../../../src/stores/checkpoints/quota-checkpoint.ts';
import { EmbeddedCounters } from '../../../src/stores/embedded/embedded-counters.ts';
import { quotaOf, setOf } from '../../support/counter-engines.ts';
import { ManualTime, settled } from '../../support/manual-time.ts';
import { LosableCounters, MemoryCheckpoints } from '../../support/memory-checkpoints.ts';
import { RecordedLog } from '../../support/recorded-log.ts';

const CHECKPOINT_MS = 5000;
const DAY = setOf(quotaOf(10, 'day'));

interface Parts {
  readonly time: ManualTime;
  readonly store: MemoryCheckpoints;
}

async function node(
  { time, store }: Parts,
  inner: RestorableCounters,
  options: { readonly isStoreAway?: boolean } = {},
) {
  const log = new RecordedLog();
  const counters = await CheckpointedCounters.start({
    counters: inner,
    store,
    clock: time,
    timers: time,
    log,
    checkpointMs: CHECKPOINT_MS,
    ...options,
  });
  const check = (cost = 1, set: LimitSet = DAY, key = 'alice') =>
    counters.check({ key, set, cost, peek: false });
  const left = async (set: LimitSet = DAY) =>
    (await counters.check({ key: 'alice', set, cost: 1, peek: true })).limits.map(
      ({ remaining }) => remaining,
    );
  return { counters, log, check, left };
}

async function start(howMany = 1) {
  const parts = { time: new ManualTime(), store: new MemoryCheckpoints() };
  const inner = new LosableCounters(parts.time);
  const nodes = await Promise.all(Array.from({ length: howMany }, () => node(parts, inner)));
  await parts.time.advance(CHECKPOINT_MS);
  const [first, second] = [nodes[0], nodes.at(-1)];
  assert.ok(first !== undefined && second !== undefined);
  return { ...parts, ...first, inner, second };
}

describe('checkpoints of quotas', () => {
  it('are written within the interval, once for all that was counted in it', async () => {
    const { time, store, check } = await start();
    const before = store.writeCount;
    for (let round = 0; round < 7; round++) await check();
    assert.equal(store.usedOf('alice', 'day'), undefined);
    await time.advance(CHECKPOINT_MS);
    assert.equal(store.usedOf('alice', 'day'), 7);
    await time.advance(CHECKPOINT_MS);
    assert.equal(store.writeCount, before + 1, 'nothing new, nothing written');
  });

  it('are not written for peeks, a cost of 0, denied checks and windows', async () => {
    const { time, store, counters, check, left } = await start();
    const before = store.writeCount;
    await left();
    await check(0);
    await check(11);
    await check(1, setOf({ algorithm: 'fixed_window', limit: 5, windowMs: 1000 }));
    const atomic = [1, 11].map((cost) => ({ key: `k${cost}`, set: DAY, cost, peek: false }));
    await counters.checkAtomically(atomic);
    await time.advance(CHECKPOINT_MS);
    assert.equal(store.writeCount, before);
  });

  it('are written for atomic batches, shadow quotas that alone admit, and late reservations', async () => {
    const { time, store, counters, check } = await start();
    const shadow = { ...quotaOf(10, 'month'), mode: 'shadow' } as const;
    await check(4, { limits: [quotaOf(3, 'day'), shadow] });
    assert.equal((await counters.check({ key: 'bob', set: DAY, cost: 1, peek: true })).admitted, true);
    await counters.checkAtomically(['bob', 'eve'].map((key) => ({ key, set: DAY, cost: 2, peek: false })));
    const token = 'AAAAAAAAAAAAAAAA:60000';
    await counters.check({ key: 'kim', set: DAY, cost: 2, peek: false, reservation: token });
    await counters.settle({ key: 'kim', set: DAY, token, cost: 6 });
    await settled(); // what is used in all is asked for beside the answer
    await time.advance(CHECKPOINT_MS);
    const used = ['alice:month', 'alice:day', 'bob:day', 'eve:day', 'kim:day'].map(
      (id) => store.rows.get(id)?.used,
    );
    assert.deepEqual(used, [4, undefined, 2, 2, 6]);
  });

  it('give lost counts back within the interval, with what was not written yet', async () => {
    const { time, inner, check, left, log } = await start();
    await check(5);
    await time.advance(CHECKPOINT_MS);
    await check(2);
    await inner.lose();
    await check();
    assert.deepEqual(await left(), [9]);
    await time.advance(CHECKPOINT_MS);
    assert.deepEqual(await left(), [3]);
    assert.match(log.lines.join(), /info: quotas were restored/);
  });

  it('give lost counts back as soon as the store is connected again', async () => {
    const { time, inner, check, left } = await start();
    await check(7);
    await time.advance(CHECKPOINT_MS);
    await inner.lose();
    inner.epoch.connected();
    await time.advance(100);
    assert.deepEqual(await left(), [3]);
  });

  it('tell of a loss that came while no node ran, where they have anything to give back', async () => {
    const { time, store, inner, counters, check } = await start();
    await check(7);
    await counters.close();
    await inner.lose();
    const [next, other] = [await node({ time, store }, inner), await node({ time, store }, inner)];
    await time.advance(CHECKPOINT_MS * 2);
    const told = [next, other].map(({ counters: each }) => each.stats());
    assert.deepEqual(
      told.map(({ restored }) => restored).reduce((sum, each) => sum + each, 0),
      1,
    );
    assert.deepEqual(told.map(({ losses }) => losses).sort(), [0, 1], 'by the node that gave them back');
    assert.ok(told.some(({ lostAtMs }) => lostAtMs !== undefined));
    await next.counters.close();
    await other.counters.close();
    store.rows.clear();
    await inner.lose();
    const fresh = await node({ time, store }, inner);
    await time.advance(CHECKPOINT_MS * 2);
    assert.equal(fresh.counters.stats().losses, 0, 'nobody can tell it from a new store');
  });

  it('tell of a loss, once each, and of what was given back', async () => {
    const { time, inner, counters, log, check } = await start();
    assert.deepEqual(counters.stats().losses, 0, 'a store that was never seen is none that was lost');
    await check(7);
    await time.advance(CHECKPOINT_MS);
    await inner.lose();
    await time.advance(CHECKPOINT_MS * 3);
    const { losses, restored } = counters.stats();
    assert.deepEqual({ losses, restored }, { losses: 1, restored: 1 });
    const told = log.lines.filter((line) =>
      line.startsWith('warn: the counters may have lost what they had counted'),
    );
    assert.equal(told.length, 1);
  });

  it('of two nodes are restored by both, with what only one of them knew', async () => {
    const { time, inner, check, left, second } = await start(2);
    await check(3);
    await second.check(4);
    await inner.lose();
    inner.epoch.connected();
    await time.advance(CHECKPOINT_MS * 2);
    assert.deepEqual(await left(), [3]);
    const restored = inner.restoreCount;
    await time.advance(CHECKPOINT_MS * 3);
    assert.equal(inner.restoreCount, restored, 'nothing is restored twice');
  });

  it('are not restored by a node that merely starts', async () => {
    const parts = await start();
    await parts.check(7);
    await parts.time.advance(CHECKPOINT_MS);
    const restored = parts.inner.restoreCount;
    await node(parts, parts.inner);
    await parts.time.advance(CHECKPOINT_MS);
    assert.equal(parts.inner.restoreCount, restored);
  });

  it('survive counts that are lost again while they are restored', async () => {
    const { time, store, inner, check } = await start();
    for (let index = 0; index < 600; index++) await check(7, DAY, `k${index}`);
    await time.advance(CHECKPOINT_MS);
    assert.equal(store.rows.size, 600);
    await inner.lose();
    inner.epoch.connected();
    await time.advance(1);
    await inner.lose();
    await time.advance(CHECKPOINT_MS * 2);
    assert.equal(inner.size, 600);
  });

  it('give back what was counted between the writing of a round and a loss that it finds', async () => {
    const { time, store, inner, check, left } = await start();
    await check(5);
    const write = store.write.bind(store);
    store.write = async (checkpoints) => {
      store.write = write;
      await write(checkpoints);
      await check(2);
      await inner.lose();
    };
    await time.advance(CHECKPOINT_MS * 3);
    assert.deepEqual(await left(), [3]);
  });

  it('give back what one node knew, whose restoring was overtaken by a loss that another node restored', async () => {
    const { time, inner, check, left, second } = await start(2);
    for (let index = 0; index < 600; index++) await check(7, DAY, `k${index}`);
    await time.advance(CHECKPOINT_MS);
    await time.advance(CHECKPOINT_MS - 2);
    await inner.lose();
    inner.epoch.connected(); // the second begins; the first has its turn in 2 ms
    await time.advance(1);
    await second.check(4);
    await inner.lose();
    await time.advance(CHECKPOINT_MS * 3);
    assert.deepEqual(await left(), [6]);
    assert.equal(inner.size, 601);
  });

  it('say nothing of a loss where nothing was lost', async () => {
    const parts = { time: new ManualTime(), store: new MemoryCheckpoints() };
    const kept = new EmbeddedCounters({ clock: parts.time, identifiersMax: 10 });
    const first = await node(parts, kept);
    await first.check(7);
    await parts.time.advance(CHECKPOINT_MS);
    const second = await node(parts, kept);
    assert.deepEqual(await second.left(), [3]);
    assert.deepEqual(second.log.lines, []);
    await Promise.all([first.counters.close(), second.counters.close()]);
  });

  it('of counters in this process are restored before they are used', async () => {
    const parts = { time: new ManualTime(), store: new MemoryCheckpoints() };
    const embedded = () => new EmbeddedCounters({ clock: parts.time, identifiersMax: 10 });
    const first = await node(parts, embedded());
    await first.check(7);
    await first.counters.close();
    assert.equal(parts.time.timerCount, 0);
    const second = await node(parts, embedded());
    assert.deepEqual(await second.left(), [3]);
    await second.counters.close();
  });
});

describe('checkpoints of quotas, while their store is away', () => {
  it('counters of this process start without it, and are given back what is in it when it comes', async () => {
    const parts = { time: new ManualTime(), store: new MemoryCheckpoints() };
    const embedded = () => new EmbeddedCounters({ clock: parts.time, identifiersMax: 10 });
    const first = await node(parts, embedded());
    await first.check(7);
    await first.counters.close();
    parts.store.isAway = true;
    const late = await node(parts, embedded(), { isStoreAway: true });
    assert.deepEqual(await late.left(), [10]);
    await late.check(1);
    for (let round = 0; round < 3; round++) await parts.time.advance(CHECKPOINT_MS);
    parts.store.isAway = false;
    for (let round = 0; round < 3; round++) await parts.time.advance(CHECKPOINT_MS);
    assert.deepEqual(await late.left(), [3], 'the larger of the two counts');
    await late.counters.close();
  });

  it('checks are answered as ever, one line tells of it, and the latest counts are written when it is back', async () => {
    const { time, store, check, log } = await start();
    store.isAway = true;
    for (let round = 0; round < 4; round++) {
      assert.equal((await check()).admitted, true);
      await time.advance(CHECKPOINT_MS);
    }
    store.isAway = false;
    await time.advance(CHECKPOINT_MS);
    assert.equal(store.usedOf('alice', 'day'), 4);
    const about = log.lines.filter((line) => line.includes('checkpoints'));
    assert.deepEqual(
      about.map((line) => line.slice(0, 5)),
      ['warn:', 'info:'],
    );
  });

  it('counts that were lost meanwhile are restored when it is back', async () => {
    const { time, store, inner, check, left } = await start();
    await check(7);
    await time.advance(CHECKPOINT_MS);
    store.isAway = true;
    await inner.lose();
    await time.advance(CHECKPOINT_MS * 3);
    assert.deepEqual(await left(), [10]);
    store.isAway = false;
    await time.advance(CHECKPOINT_MS);
    assert.deepEqual(await left(), [3]);
  });

  it('a reset is refused, and nothing is reset', async () => {
    const { store, counters, check, left } = await start();
    await check(7);
    store.isAway = true;
    await assert.rejects(
      counters.reset('alice'),
      (error) => error instanceof CountersError && error.fault === 'unavailable',
    );
    assert.deepEqual(await left(), [3]);
  });

  it('closing does not wait for it, and ends', async () => {
    const { store, counters, check } = await start();
    await check();
    store.isAway = true;
    await counters.close();
  });

  it('a page that fails is tried again, and closing ends the trying', async () => {
    const { time, store, inner, counters, check } = await start();
    await check(7);
    await time.advance(CHECKPOINT_MS);
    await inner.lose();
    const restore = inner.restore.bind(inner);
    let failures = 3;
    inner.restore = (checkpoints) =>
      failures-- > 0 ? Promise.reject(new CountersError('timeout', 'busy')) : restore(checkpoints);
    await time.advance(CHECKPOINT_MS + 1000);
    assert.equal(inner.size, 1);
    failures = 1000;
    await inner.lose();
    await time.advance(CHECKPOINT_MS);
    await counters.close();
    assert.equal(store.usedOf('alice', 'day'), 7);
  });
});

describe('a reset', () => {
  it('is not undone by restoring, nor by what waited to be written, here or on another node', async () => {
    const { time, inner, counters, check, left, second } = await start(2);
    await check(3);
    await time.advance(CHECKPOINT_MS);
    await check(2);
    await second.check(2);
    await counters.reset('alice');
    await time.advance(1);
    assert.equal((await second.check()).limits[0]?.remaining, 9);
    await time.advance(CHECKPOINT_MS);
    await inner.lose();
    await time.advance(CHECKPOINT_MS * 2);
    assert.deepEqual(await left(), [9]);
  });
});
