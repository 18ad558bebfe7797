import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CountersError, type LimitSet } from '../../../src/limiter/counters.ts';
import type { LocalCounters } from '../../../src/stores/local/local-counters.ts';
import { setOf } from '../../support/counter-engines.ts';
import { admittedOf, checking, localHouse, placesOf, setsOf } from '../../support/local-house.ts';

const MINUTE_MS = 60_000;
const ROUND_MS = 250;
const TEN = setOf({ algorithm: 'sliding_log', limit: 10, windowMs: MINUTE_MS });

const faultOf = (error: unknown) => (error instanceof CountersError ? error.fault : Promise.reject(error));

/** All of them wait at once. */
async function floodOf(node: LocalCounters, set: LimitSet, key = 'alice'): Promise<number> {
  const outcomes = await Promise.all(Array.from({ length: 50 }, () => node.check(checking(set, { key }))));
  return outcomes.filter(({ admitted }) => admitted).length;
}

describe('what the store may have counted or not', () => {
  for (const [algorithm, set] of setsOf(10)) {
    it(`gives no second share after a hang, whatever the store knows of it: ${algorithm}`, async () => {
      for (const isRunAllTheSame of [false, true]) {
        const { time, store, nodes } = localHouse({ nodes: 2 });
        const [first, second] = nodes as [LocalCounters, LocalCounters];
        store.isRunAllTheSame = isRunAllTheSame;
        await admittedOf(first, checking(set), 3);
        store.fault = 'timeout';
        assert.equal(await floodOf(first, set), 5);
        for (const next of ['timeout', 'unavailable', 'timeout'] as const) {
          store.fault = undefined;
          await time.advance(0);
          // The store tells both how it stands there.
          for (const node of [first, second]) await node.check(checking(set, { cost: 0 }));
          assert.deepEqual([first.stats().identifiers, second.stats().identifiers], [0, 0]);
          store.fault = next;
          assert.equal(await floodOf(first, set), 0, `the share was used up, and then ${next}`);
        }
        store.fault = undefined;
        await time.advance(ROUND_MS);
        assert.deepEqual(store.mergeSizes, [], 'and none of it is merged');
      }
    });
  }

  it('of a merge counts on this node as well, when the store has told how it stands', async () => {
    for (const isRun of [false, true]) {
      const { time, store, node } = localHouse();
      store.fault = 'unavailable';
      await admittedOf(node, checking(TEN), 7);
      Object.assign(store, { fault: undefined, mergeFault: 'timeout', isRunAllTheSame: isRun });
      await time.advance(ROUND_MS);
      assert.deepEqual([node.stats().merged, node.stats().lost], [0, 1]);
      await node.check(checking(TEN, { cost: 0 }));
      assert.equal(node.stats().identifiers, 0);
      store.fault = 'unavailable';
      assert.equal(await admittedOf(node, checking(TEN), 9), isRun ? 0 : 3);
    }
  });

  it('counts until its windows are over, and no longer', async () => {
    const { time, store, node } = localHouse();
    store.fault = 'timeout';
    assert.equal(await floodOf(node, TEN), 10);
    store.fault = undefined;
    await node.check(checking(TEN, { cost: 0 }));
    await time.advance(MINUTE_MS - 1);
    store.fault = 'unavailable';
    assert.equal(await admittedOf(node, checking(TEN), 1), 0);
    await time.advance(1);
    assert.equal(await admittedOf(node, checking(TEN), 20), 10);
  });

  it('is counted beside what is surely owed, and only that is merged', async () => {
    const { time, store, node } = localHouse();
    store.fault = 'timeout';
    assert.equal(await admittedOf(node, checking(TEN), 4), 4);
    store.fault = 'unavailable';
    assert.equal(await admittedOf(node, checking(TEN), 20), 6);
    store.fault = undefined;
    await time.advance(ROUND_MS);
    await time.advance(0);
    const { limits } = await store.check(checking(TEN, { peek: true }));
    assert.equal(limits[0]?.remaining, 4);
    assert.equal(node.stats().merged, 1);
  });

  it('takes its place in a full table, and gives it back when it is over', async () => {
    const { time, store, node } = localHouse({ identifiersMax: 2 });
    for (const key of ['a', 'b']) {
      store.fault = 'timeout';
      await node.check(checking(TEN, { key }));
      store.fault = undefined;
      await node.check(checking(TEN, { key, cost: 0 }));
    }
    assert.deepEqual([node.stats().identifiers, node.stats().unsure], [0, 2]);
    store.fault = 'unavailable';
    assert.equal(await node.check(checking(TEN, { key: 'new' })).catch(faultOf), 'full');
    assert.equal(await admittedOf(node, checking(TEN, { key: 'a' }), 20), 9, 'it is no newcomer');
    await time.advance(MINUTE_MS);
    assert.equal(await admittedOf(node, checking(TEN, { key: 'new' }), 1), 1);
  });

  it('leaves no memory behind when it is over, as answers come', async () => {
    const { time, store, node } = localHouse();
    store.fault = 'timeout';
    for (let n = 0; n < 100; n++) await node.check(checking(TEN, { key: `id-${n}` }));
    store.fault = undefined;
    await time.advance(ROUND_MS);
    assert.deepEqual([node.stats().identifiers, node.stats().unsure], [0, 100]);
    await time.advance(MINUTE_MS);
    for (let n = 0; n < 60; n++) await node.check(checking(TEN, { key: 'somebody' }));
    assert.equal(node.stats().unsure, 0);
  });

  it('is forgotten by a reset', async () => {
    for (const isHeard of [false, true]) {
      const { store, node } = localHouse();
      store.fault = 'timeout';
      assert.equal(await floodOf(node, TEN), 10);
      store.fault = undefined;
      if (isHeard) await node.check(checking(TEN, { cost: 0 }));
      await node.reset('alice');
      store.fault = 'unavailable';
      assert.equal(await admittedOf(node, checking(TEN), 20), 10);
    }
  });

  it('of a place counts until its lease would have run out', async () => {
    const { time, store, node } = localHouse();
    const ask = (name: string) => node.check(checking(placesOf(2), { holder: `${name}:10000` }));
    store.fault = 'timeout';
    await ask('a');
    store.fault = undefined;
    await node.check(checking(placesOf(2), { peek: true }));
    store.fault = 'unavailable';
    assert.deepEqual([(await ask('b')).admitted, (await ask('c')).admitted], [true, false]);
    await time.advance(10_000);
    assert.deepEqual([(await ask('d')).admitted, (await ask('e')).admitted], [true, true]);
  });
});
