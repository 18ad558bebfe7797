import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { WINDOW_ALGORITHMS } from '../../src/limiter/limit.ts';
import { startBothEngines } from '../support/both-engines.ts';
import { Asker, setOf } from '../support/counter-engines.ts';

const SECOND_MS = 1000;

const itOnBoth = startBothEngines();

describe('time steps', () => {
  for (const algorithm of WINDOW_ALGORITHMS) {
    itOnBoth(
      `${algorithm}: after a step back what was used stays, and nobody waits longer than its window`,
      async (engine) => {
        const asker = new Asker(engine, setOf({ algorithm, limit: 5, windowMs: 10 * SECOND_MS }));
        assert.equal(await asker.admittedOf(5), 5);
        engine.clock.advance(-24 * 3600 * SECOND_MS);
        const { admitted, limits, nowMs } = await asker.check();
        assert.equal(admitted, false);
        const retryAtMs = limits[0]?.retryAtMs ?? 0;
        // What a sliding window holds slides out in the window after.
        const waitMs = (algorithm === 'sliding_window' ? 20 : 10) * SECOND_MS;
        assert.ok(retryAtMs > nowMs && retryAtMs <= nowMs + waitMs);
        // Asking again meanwhile doesn't put it off, although each of these is denied.
        engine.clock.advance(500);
        assert.ok(((await asker.check()).limits[0]?.retryAtMs ?? 0) <= retryAtMs);
        engine.clock.set(retryAtMs);
        assert.equal((await asker.check()).admitted, true);
      },
    );
  }
});

describe('a changed rule', () => {
  for (const algorithm of WINDOW_ALGORITHMS) {
    itOnBoth(`${algorithm}: a changed limit keeps what was used`, async (engine) => {
      const asker = new Asker(engine, setOf({ algorithm, limit: 10, windowMs: 60 * SECOND_MS }));
      await asker.admittedOf(4);
      asker.set = setOf({ algorithm, limit: 6, windowMs: 60 * SECOND_MS });
      assert.equal((await asker.peek()).limits[0]?.remaining, 2);
      asker.set = setOf({ algorithm, limit: 2, windowMs: 60 * SECOND_MS });
      assert.deepEqual([(await asker.check()).admitted, (await asker.check(0)).admitted], [false, false]);
      asker.set = setOf({ algorithm, limit: 20, windowMs: 60 * SECOND_MS });
      assert.equal((await asker.peek()).limits[0]?.remaining, 16);
    });

    itOnBoth(`${algorithm}: a changed window starts afresh`, async (engine) => {
      const asker = new Asker(engine, setOf({ algorithm, limit: 10, windowMs: 60 * SECOND_MS }));
      await asker.admittedOf(4);
      asker.set = setOf({ algorithm, limit: 10, windowMs: 30 * SECOND_MS });
      assert.equal((await asker.check()).limits[0]?.remaining, 9);
    });
  }

  itOnBoth('gcra: a changed rate applies from the change on, not to the time before', async (engine) => {
    const asker = new Asker(engine, setOf({ algorithm: 'gcra', limit: 1, windowMs: SECOND_MS, burst: 10 }));
    await asker.admittedOf(10);
    engine.clock.advance(2 * SECOND_MS);
    asker.set = setOf({ algorithm: 'gcra', limit: 4, windowMs: SECOND_MS, burst: 10 });
    assert.equal((await asker.peek()).limits[0]?.remaining, 2, 'two seconds at one a second');
    engine.clock.advance(SECOND_MS);
    assert.equal((await asker.peek()).limits[0]?.remaining, 6, 'and one at four a second');
  });
});
