import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { StoreClock } from '../../../src/stores/redis/store-clock.ts';

function storeClock() {
  const steps: number[] = [];
  const clock = { monotonic: 0, nowMs: () => 0, monotonicMs: () => clock.monotonic };
  return { clock, steps, store: new StoreClock({ clock, onStep: (stepMs) => steps.push(stepMs) }) };
}

describe('the time of the store, as a node knows it', () => {
  it('is unknown until the store has told it, and again once the connection is gone', () => {
    const { store } = storeClock();
    assert.equal(store.nowMs(), undefined);
    store.observe(5000, 0);
    assert.equal(store.nowMs(), 5000);
    store.forget();
    assert.equal(store.nowMs(), undefined);
  });

  it('moves on by the monotonic clock', () => {
    const { clock, store } = storeClock();
    store.observe(5000, 0);
    clock.monotonic = 250;
    assert.equal(store.nowMs(), 5250);
  });

  it('keeps the estimate of the quickest reply: a slow one hardly moves it', () => {
    const { clock, store, steps } = storeClock();
    store.observe(5000, 0);
    clock.monotonic = 500; // asked at 100, read at once, delivered at 500
    store.observe(5100, 100);
    const nowMs = store.nowMs() ?? 0;
    assert.ok(nowMs > 5490 && nowMs <= 5500, String(nowMs));
    assert.deepEqual(steps, []);
  });

  it('takes over a step forwards and a step backwards, and tells of both', () => {
    const { clock, store, steps } = storeClock();
    store.observe(100_000, 0);
    clock.monotonic = 10;
    store.observe(160_010, 10);
    assert.equal(store.nowMs(), 160_010);
    clock.monotonic = 20;
    store.observe(100_020, 20);
    assert.equal(store.nowMs(), 100_020);
    assert.deepEqual(steps, [60_000, -60_000]);
  });

  it('does not take a stall of this process for a step', () => {
    const { clock, store, steps } = storeClock();
    store.observe(100_000, 0);
    clock.monotonic = 5000; // asked at 10, answered at 11, but read only now
    store.observe(100_011, 10);
    assert.deepEqual(steps, []);
  });
});
