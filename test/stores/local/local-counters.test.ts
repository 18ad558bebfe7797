import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CountersError } from '../../../src/limiter/counters.ts';
import { quotaOf, setOf } from '../../support/counter-engines.ts';
import { admittedOf, checking, localHouse, placesOf, setsOf } from '../../support/local-house.ts';

const MINUTE_MS = 60_000;
const ROUND_MS = 250;
const TEN = setOf({ algorithm: 'sliding_log', limit: 10, windowMs: MINUTE_MS });

const faultOf = (error: unknown) => (error instanceof CountersError ? error.fault : Promise.reject(error));

describe('while the store gives no answer', () => {
  for (const [algorithm, set] of setsOf(10)) {
    it(`B11: one policy on two routes admits 10 of 20, by the same algorithm, with the store and without: ${algorithm}`, async () => {
      const run = async (isAway: boolean) => {
        const { time, store, node } = localHouse();
        if (isAway) store.fault = 'unavailable';
        const seen: [boolean, number | undefined][] = [];
        // Over two edges of the window; a route is no part of what is counted.
        for (const byMs of [0, 30_000, 29_999, 1, 30_000, 120_000]) {
          await time.advance(byMs);
          for (let n = 0; n < 20; n++) {
            const { admitted, limits } = await node.check(checking(set));
            seen.push([admitted, limits[0]?.remaining]);
          }
        }
        return seen;
      };
      const [withStore, without] = [await run(false), await run(true)];
      assert.deepEqual(without, withStore);
      assert.equal(without.slice(0, 20).filter(([admitted]) => admitted).length, 10);
    });
  }

  it('says so in the outcome, with what the store failed with', async () => {
    const { store, node } = localHouse();
    assert.equal((await node.check(checking(TEN))).fault, undefined);
    store.fault = 'unavailable';
    const { admitted, fault, limits } = await node.check(checking(TEN));
    assert.deepEqual([admitted, fault?.fault, limits[0]?.remaining], [true, 'unavailable', 8]);
  });

  it('a check without that fallback is rejected as ever', async () => {
    const { store, node } = localHouse();
    store.fault = 'unavailable';
    const { fallback, ...check } = checking(TEN);
    assert.equal(await node.check(check).catch(faultOf), 'unavailable');
    assert.equal(node.stats().identifiers, 0);
  });

  it('each node has its share of what nobody has used, and no more than was left: 10 by 3 nodes, 9 used', async () => {
    const { store, nodes } = localHouse({ nodes: 3 });
    const [first, second, third] = nodes as [(typeof nodes)[0], (typeof nodes)[0], (typeof nodes)[0]];
    await admittedOf(first, checking(TEN), 9);
    store.fault = 'unavailable';
    assert.equal(await admittedOf(first, checking(TEN), 20), 1, 'it has seen that one is left');
    assert.equal(await admittedOf(second, checking(TEN), 20), 4, 'it has seen nothing: its share');
    assert.equal(await admittedOf(third, checking(TEN), 20), 4);
  });

  it('the share follows the number of live nodes, as far as it is known', async () => {
    const { store, live, node } = localHouse({ nodes: 2 });
    store.fault = 'unavailable';
    assert.equal(await admittedOf(node, checking(TEN), 20), 5);
    live.nodes = 1;
    assert.equal(await admittedOf(node, checking(TEN), 20), 5, 'the other one has gone');
  });

  it('a limit of 0 stays 0, and a share is at least 1', async () => {
    const { store, node } = localHouse({ nodes: 5 });
    store.fault = 'unavailable';
    const none = setOf({ algorithm: 'gcra', limit: 0, windowMs: MINUTE_MS });
    const one = setOf({ algorithm: 'gcra', limit: 1, windowMs: MINUTE_MS });
    assert.equal(await admittedOf(node, checking(none, { key: 'none' }), 3), 0);
    assert.equal(await admittedOf(node, checking(one, { key: 'one' }), 3), 1);
  });

  it('what was seen used of a window or a period that is over does not count', async () => {
    const { time, store, node } = localHouse();
    const set = setOf({ algorithm: 'fixed_window', limit: 10, windowMs: MINUTE_MS }, quotaOf(10, 'hour'));
    await admittedOf(node, checking(set), 10);
    store.fault = 'unavailable';
    assert.equal(await admittedOf(node, checking(set), 1), 0);
    await time.advance(MINUTE_MS);
    assert.equal(await admittedOf(node, checking(set), 1), 0, 'the hour is not over');
    await time.advance(60 * MINUTE_MS);
    assert.equal(await admittedOf(node, checking(set), 20), 10);
  });

  it('a raised limit is judged by what was used, not by what was left', async () => {
    const { store, node } = localHouse();
    await admittedOf(node, checking(TEN), 10);
    store.fault = 'unavailable';
    const raised = setOf({ algorithm: 'sliding_log', limit: 12, windowMs: MINUTE_MS });
    assert.equal(await admittedOf(node, checking(raised), 20), 2);
  });

  for (const [algorithm, set] of setsOf(10)) {
    it(`checks whose calls time out, all at once, pass as far as the share goes: ${algorithm}`, async () => {
      const { store, nodes } = localHouse({ nodes: 2 });
      const [first, second] = nodes as [(typeof nodes)[0], (typeof nodes)[0]];
      await admittedOf(first, checking(set), 7);
      store.fault = 'timeout';
      const flood = async (node: typeof first) => {
        const outcomes = await Promise.all(Array.from({ length: 350 }, () => node.check(checking(set))));
        return outcomes.filter(({ admitted }) => admitted).length;
      };
      assert.equal(await flood(first), 3, 'it has seen that 3 are left');
      assert.equal(await flood(second), 5, 'it has seen nothing: its share');
      store.fault = 'unavailable';
      assert.equal(await admittedOf(first, checking(set), 20), 0);
    });
  }

  it('batches whose calls time out pass as far as the share goes', async () => {
    const { store, node } = localHouse();
    store.fault = 'timeout';
    const batch = [checking(TEN), checking(TEN, { key: 'bob', cost: 2 })];
    const outcomes = await Promise.all(Array.from({ length: 9 }, () => node.checkAtomically(batch)));
    assert.equal(outcomes.filter((both) => both.every(({ admitted }) => admitted)).length, 5);
  });

  it('what the store may have counted is not merged, and known until the store tells how it stands', async () => {
    const { time, store, node } = localHouse();
    await admittedOf(node, checking(TEN), 2);
    store.fault = 'timeout';
    assert.equal(await admittedOf(node, checking(TEN), 5), 5);
    store.fault = undefined;
    await time.advance(ROUND_MS);
    await time.advance(0);
    assert.deepEqual([node.stats().identifiers, node.stats().merged, node.stats().lost], [0, 0, 0]);
    store.fault = 'unavailable';
    assert.equal(await admittedOf(node, checking(TEN), 20), 3, 'by what this node knows');
    store.fault = undefined;
    await time.advance(ROUND_MS);
    await time.advance(0);
    assert.equal(await admittedOf(node, checking(TEN), 20), 5, 'the store has 2, and the 3 that were owed');
  });

  it('an identifier that is judged here does not cost its checks a call each', async () => {
    const { store, node } = localHouse();
    store.fault = 'unavailable';
    await node.check(checking(TEN));
    const { calls } = store;
    await admittedOf(node, checking(TEN), 20);
    assert.equal(store.calls, calls);
  });

  it('a peek tells how it stands and counts nothing', async () => {
    const { store, node } = localHouse();
    store.fault = 'unavailable';
    assert.equal((await node.check(checking(TEN, { peek: true }))).limits[0]?.remaining, 10);
    assert.equal(node.stats().identifiers, 0);
    assert.deepEqual([node.stats().admitted, node.stats().denied], [0, 0]);
  });

  it('a limit on trial denies nobody, and counts by its share', async () => {
    const { store, node } = localHouse({ nodes: 2 });
    store.fault = 'unavailable';
    const set = setOf({ algorithm: 'fixed_window', limit: 4, windowMs: MINUTE_MS, mode: 'shadow' });
    assert.equal(await admittedOf(node, checking(set), 5), 5);
    assert.equal((await node.check(checking(set))).limits[0]?.admits, false);
  });

  it('a full table refuses newcomers, and evicts no living one', async () => {
    const { time, store, node } = localHouse({ identifiersMax: 2 });
    store.fault = 'unavailable';
    await admittedOf(node, checking(TEN, { key: 'a' }), 10);
    await admittedOf(node, checking(TEN, { key: 'b' }), 10);
    for (let n = 0; n < 5; n++) {
      assert.equal(await node.check(checking(TEN, { key: `new-${n}` })).catch(faultOf), 'full');
    }
    assert.equal(await admittedOf(node, checking(TEN, { key: 'a' }), 5), 0);
    assert.deepEqual([node.stats().identifiers, node.stats().refused], [2, 5]);
    await time.advance(MINUTE_MS);
    assert.equal(await admittedOf(node, checking(TEN, { key: 'new' }), 1), 1, 'ended ones give way');
  });

  it('a store that is full, or whose state was damaged, has counted nothing: it is counted here', async () => {
    const { store, node } = localHouse();
    for (const fault of ['full', 'corrupt'] as const) {
      store.fault = fault;
      store.mergeFault = fault;
      assert.equal(await admittedOf(node, checking(TEN, { key: fault }), 20), 10, fault);
    }
  });

  it('an atomic batch is counted as a whole or not at all', async () => {
    const { store, node } = localHouse();
    store.fault = 'unavailable';
    await admittedOf(node, checking(TEN, { key: 'spent' }), 9);
    const batch = ['fresh', 'spent', 'spent'].map((key) => checking(TEN, { key }));
    const denied = await node.checkAtomically(batch);
    assert.deepEqual(
      denied.map(({ admitted, isHeldBack }) => [admitted, isHeldBack]),
      [
        [false, true],
        [false, true],
        [false, false],
      ],
    );
    assert.ok(denied.every(({ fault }) => fault?.fault === 'unavailable'));
    const admitted = await node.checkAtomically(batch.slice(0, 2));
    assert.deepEqual(
      admitted.map((outcome) => [outcome.admitted, outcome.limits[0]?.remaining]),
      [
        [true, 9],
        [true, 0],
      ],
    );
  });

  it('an atomic batch over namespaces of other policies can not be promised, and is rejected', async () => {
    const { store, node } = localHouse();
    store.fault = 'unavailable';
    const { fallback, ...other } = checking(TEN, { key: 'open' });
    assert.equal(await node.checkAtomically([checking(TEN), other]).catch(faultOf), 'unavailable');
    assert.equal(node.stats().identifiers, 0);
    const exempt = { ...other, set: { limits: [] }, ruling: 'exempt' } as const;
    const outcomes = await node.checkAtomically([checking(TEN), exempt]);
    assert.ok(outcomes.every(({ admitted }) => admitted));
  });

  it('the log says once when it begins, and once with numbers when it has ended', async () => {
    const { time, store, log, node } = localHouse();
    store.fault = 'unavailable';
    await admittedOf(node, checking(TEN), 12);
    await time.advance(10 * ROUND_MS);
    assert.equal(log.lines.length, 1);
    assert.match(log.lines[0] ?? '', /^warn: .*judges by its share/);
    store.fault = undefined;
    await time.advance(ROUND_MS);
    assert.equal(log.lines.length, 2);
    assert.match(log.lines[1] ?? '', /^info: .*merged/);
    assert.deepEqual(node.stats(), {
      identifiers: 0,
      unsure: 0,
      admitted: 10,
      denied: 2,
      refused: 0,
      merged: 1,
      lost: 0,
    });
  });
});

describe('when the store answers again', () => {
  for (const [algorithm, set] of setsOf(100)) {
    it(`nobody gets a second full limit: of 100, 60 used, 30 in the outage, then exactly 10: ${algorithm}`, async () => {
      const { time, store, node } = localHouse();
      await admittedOf(node, checking(set), 60);
      store.fault = 'unavailable';
      assert.equal(await admittedOf(node, checking(set), 30), 30);
      store.fault = undefined;
      // That of another identifier tells the node: no time passes.
      await node.check(checking(set, { key: 'another' }));
      assert.equal(await admittedOf(node, checking(set), 50), 10);
      assert.deepEqual(store.mergeSizes, [1]);
      await time.advance(ROUND_MS);
      assert.deepEqual(store.mergeSizes, [1], 'and not once more in the background');
      assert.equal(node.stats().identifiers, 0);
    });

    it(`an outage after an outage begins where the first one ended: ${algorithm}`, async () => {
      const { time, store, node } = localHouse();
      await admittedOf(node, checking(set), 60);
      for (const more of [30, 10, 0]) {
        store.fault = 'unavailable';
        assert.equal(await admittedOf(node, checking(set), more), more);
        store.fault = undefined;
        await time.advance(0);
        await node.check(checking(set, { key: 'another', cost: 0 }));
        // Merged by what one asks who wants nothing.
        await node.check(checking(set, { cost: 0 }));
      }
      store.fault = 'unavailable';
      assert.equal(await admittedOf(node, checking(set), 5), 0);
    });
  }

  it('all is merged, whether they are asked about or not, at most 64 in a call', async () => {
    const { time, store, node } = localHouse();
    store.fault = 'unavailable';
    const keys = Array.from({ length: 150 }, (_, n) => `id-${n}`);
    for (const key of keys) await admittedOf(node, checking(TEN, { key }), 3);
    store.fault = undefined;
    await time.advance(ROUND_MS);
    for (let turn = 0; turn < 10; turn++) await time.advance(0);
    assert.deepEqual(store.mergeSizes, [64, 64, 22]);
    assert.equal(node.stats().merged, 150);
    for (const key of keys) {
      const { limits } = await node.check(checking(TEN, { key, peek: true }));
      assert.equal(limits[0]?.remaining, 7);
    }
  });

  it('a batch holds fewer identifiers where their logs are long', async () => {
    const { time, store, node } = localHouse();
    const long = setOf({ algorithm: 'sliding_log', limit: 4000, windowMs: MINUTE_MS });
    store.fault = 'unavailable';
    for (let n = 0; n < 5; n++) await node.check(checking(long, { key: `id-${n}` }));
    store.fault = undefined;
    await time.advance(ROUND_MS);
    for (let turn = 0; turn < 10; turn++) await time.advance(0);
    assert.deepEqual(store.mergeSizes, [2, 2, 1]);
  });

  it('checks that come while theirs is merged wait for it, and are judged by the store', async () => {
    const { store, node } = localHouse();
    store.fault = 'unavailable';
    await admittedOf(node, checking(TEN), 4);
    store.fault = undefined;
    await node.check(checking(TEN, { key: 'another' }));
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => node.check(checking(TEN))));
    assert.equal(outcomes.filter(({ admitted }) => admitted).length, 6);
    assert.ok(outcomes.every(({ fault }) => fault === undefined));
    assert.deepEqual(store.mergeSizes, [1]);
  });

  it('what may have been merged is not merged again: it is told as lost, and still known to this node', async () => {
    for (const isRun of [true, false]) {
      const { time, store, node } = localHouse();
      await admittedOf(node, checking(TEN), 2);
      store.fault = 'unavailable';
      await admittedOf(node, checking(TEN), 5);
      store.fault = undefined;
      store.mergeFault = 'timeout';
      store.isRunAllTheSame = isRun;
      await time.advance(ROUND_MS);
      assert.deepEqual([node.stats().merged, node.stats().lost], [0, 1]);
      store.fault = 'unavailable';
      assert.equal(await admittedOf(node, checking(TEN), 9), 3, 'by what this node knows');
      store.fault = undefined;
      store.mergeFault = undefined;
      await time.advance(ROUND_MS);
      await time.advance(ROUND_MS);
      assert.deepEqual([node.stats().merged, node.stats().lost], [1, 1]);
      assert.equal(await admittedOf(node, checking(TEN), 20), isRun ? 0 : 5);
    }
  });

  it('what the store refuses to merge stays owed', async () => {
    const { time, store, node } = localHouse();
    store.fault = 'unavailable';
    await admittedOf(node, checking(TEN), 4);
    store.fault = undefined;
    store.mergeFault = 'unavailable';
    await time.advance(3 * ROUND_MS);
    assert.equal(node.stats().identifiers, 1);
    store.mergeFault = undefined;
    await time.advance(ROUND_MS);
    await time.advance(0);
    assert.equal(await admittedOf(node, checking(TEN), 20), 6);
  });

  it('what has ended meanwhile is not merged', async () => {
    const { time, store, node } = localHouse();
    store.fault = 'unavailable';
    await admittedOf(node, checking(TEN), 10);
    await time.advance(MINUTE_MS);
    store.fault = undefined;
    await time.advance(ROUND_MS);
    assert.deepEqual([store.mergeSizes, node.stats().identifiers], [[], 0]);
    assert.equal(await admittedOf(node, checking(TEN), 20), 10);
  });

  it('a store with no room takes what it can, and the rest stays with the node', async () => {
    const { time, store, node } = localHouse({ storeMax: 1 });
    await node.check(checking(TEN, { key: 'there' }));
    assert.equal(await admittedOf(node, checking(TEN, { key: 'new' }), 20), 10);
    await time.advance(ROUND_MS);
    assert.equal(await admittedOf(node, checking(TEN, { key: 'new' }), 5), 0);
    assert.equal(await admittedOf(node, checking(TEN, { key: 'there' }), 20), 9);
    assert.equal(store.calls > 0, true);
  });

  it('a reset forgets what this node counted, too', async () => {
    const { store, node } = localHouse();
    store.fault = 'unavailable';
    await admittedOf(node, checking(TEN), 10);
    assert.equal(await node.reset('alice').catch(faultOf), 'unavailable');
    store.fault = undefined;
    await node.reset('alice');
    assert.equal(await admittedOf(node, checking(TEN), 20), 10);
  });

  it('a node that ends merges first', async () => {
    const { store, node } = localHouse();
    store.fault = 'unavailable';
    await admittedOf(node, checking(TEN), 4);
    store.fault = undefined;
    await node.close();
    assert.deepEqual(store.mergeSizes, [1]);
  });
});

describe('places while the store gives no answer', () => {
  const holder = (name: string) => ({ holder: `${name}:10000` });

  it('are given up to the share, counting those that were held elsewhere as far as this node knows', async () => {
    const { store, node } = localHouse();
    const set = placesOf(5);
    for (const name of ['a', 'b']) await node.check(checking(set, holder(name)));
    store.fault = 'unavailable';
    const admitted = [];
    for (const name of ['c', 'd', 'e', 'f'])
      admitted.push((await node.check(checking(set, holder(name)))).admitted);
    assert.deepEqual(admitted, [true, true, true, false]);
  });

  it('those that were held elsewhere are free when the last would have run out', async () => {
    const { time, store, node } = localHouse();
    const set = placesOf(1);
    await node.check(checking(set, holder('a')));
    store.fault = 'unavailable';
    assert.equal((await node.check(checking(set, holder('b')))).admitted, false);
    await time.advance(10_000);
    assert.equal((await node.check(checking(set, holder('b')))).admitted, true);
  });

  it('can be renewed and released here, and come into the store if they are alive', async () => {
    const { time, store, node } = localHouse();
    const set = placesOf(3);
    store.fault = 'unavailable';
    for (const name of ['a', 'b', 'c']) await node.check(checking(set, holder(name)));
    await time.advance(6000);
    const renewed = await node.renewLease('alice', 'a:10000');
    assert.equal(renewed?.expiresMs, time.nowMs() + 10_000);
    await node.releaseLease('alice', 'b:10000');
    assert.equal((await node.check(checking(set, holder('d')))).admitted, true);
    await time.advance(5000);
    store.fault = undefined;
    await time.advance(ROUND_MS);
    await time.advance(0);
    const held = await node.listLeases('alice');
    assert.deepEqual(held.map((lease) => lease.holder).sort(), ['a:10000', 'd:10000'], 'c has run out');
    assert.ok((await node.renewLease('alice', 'a:10000')) !== undefined);
    await node.releaseLease('alice', 'a:10000');
    assert.equal((await node.listLeases('alice')).length, 1);
  });

  it('of others can not be renewed or released: nobody can say so', async () => {
    const { store, node } = localHouse();
    await node.check(checking(placesOf(3), holder('a')));
    store.fault = 'unavailable';
    assert.equal(await node.renewLease('alice', 'a:10000').catch(faultOf), 'unavailable');
    assert.equal(await node.releaseLease('alice', 'a:10000').catch(faultOf), 'unavailable');
  });

  it('one whose call timed out is not given: it may be held in the store', async () => {
    const { store, node } = localHouse();
    store.fault = 'timeout';
    const outcome = await node.check(checking(placesOf(3), holder('a')));
    assert.deepEqual([outcome.admitted, outcome.token], [true, undefined]);
    const others = ['b', 'c', 'd'].map((name) => node.check(checking(placesOf(3), holder(name))));
    const admitted = (await Promise.all(others)).map((other) => other.admitted);
    assert.deepEqual(admitted, [true, true, false], 'the places of all of them are counted');
  });
});
