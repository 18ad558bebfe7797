import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { capacityOf, WINDOW_ALGORITHMS } from '../../src/limiter/limit.ts';
import { startBothEngines } from '../support/both-engines.ts';
import { Asker, limitOf, setOf } from '../support/counter-engines.ts';

const SECOND_MS = 1000;

const itOnBoth = startBothEngines();

describe('cases from public reports, on the embedded counters and on Redis', () => {
  for (const algorithm of WINDOW_ALGORITHMS) {
    itOnBoth(
      `B03: ${algorithm} of 1 in 10 s lets the first pass, and another after the window`,
      async (engine) => {
        const asker = new Asker(engine, setOf({ algorithm, limit: 1, windowMs: 10 * SECOND_MS }));
        const [first] = (await asker.check()).limits;
        assert.deepEqual([first?.admits, first?.remaining], [true, 0]);
        engine.clock.advance(SECOND_MS);
        assert.equal((await asker.check()).admitted, false);
        engine.clock.advance(20 * SECOND_MS);
        assert.equal((await asker.check()).admitted, true);
      },
    );
  }

  itOnBoth(
    'B08: gcra 1/s of capacity 5: the sixth at once waits 1 s, and it is whole in 5',
    async (engine) => {
      const asker = new Asker(engine, setOf({ algorithm: 'gcra', limit: 1, windowMs: SECOND_MS, burst: 5 }));
      assert.equal(await asker.admittedOf(5), 5);
      const { admitted, limits, nowMs } = await asker.check();
      assert.equal(admitted, false);
      assert.equal(limits[0]?.retryAtMs, nowMs + SECOND_MS);
      assert.equal(limits[0]?.resetMs, nowMs + 5 * SECOND_MS);
    },
  );

  itOnBoth(
    'B08: gcra 30/60s of burst 15: one request on a fresh key is whole again in 2 s',
    async (engine) => {
      const asker = new Asker(
        engine,
        setOf({ algorithm: 'gcra', limit: 30, windowMs: 60 * SECOND_MS, burst: 15 }),
      );
      const { limits, nowMs } = await asker.check();
      assert.equal(limits[0]?.resetMs, nowMs + 2 * SECOND_MS);
    },
  );

  for (const algorithm of WINDOW_ALGORITHMS) {
    itOnBoth(`B09: ${algorithm}: checks in the same millisecond are all counted`, async (engine) => {
      for (let round = 0; round < 10; round++) {
        const asker = new Asker(engine, setOf({ algorithm, limit: 20, windowMs: 60 * SECOND_MS }));
        assert.equal(await asker.admittedOf(200), 20);
      }
    });
  }

  itOnBoth('B02: a check that one limit denies is charged to none', async (engine) => {
    for (const order of [0, 1]) {
      const organisation = {
        name: 'org',
        algorithm: 'fixed_window',
        limit: 10,
        windowMs: 60 * SECOND_MS,
      } as const;
      const narrow = {
        name: 'narrow',
        algorithm: 'fixed_window',
        limit: 5,
        windowMs: 60 * SECOND_MS,
      } as const;
      const asker = new Asker(
        engine,
        order === 0 ? setOf(organisation, narrow) : setOf(narrow, organisation),
      );
      assert.equal(await asker.admittedOf(8), 5);
      const remaining = (await asker.peek()).limits.map((limit) => limit.remaining);
      assert.deepEqual(remaining, order === 0 ? [5, 0] : [0, 5]);
    }
  });

  itOnBoth('B13: fixed_window 5/10s ends although traffic goes on, denied or not', async (engine) => {
    const asker = new Asker(engine, setOf({ algorithm: 'fixed_window', limit: 5, windowMs: 10 * SECOND_MS }));
    engine.clock.set(1_800_000_003_000);
    let admitted = 0;
    for (let second = 0; second < 40; second++) {
      admitted += await asker.admittedOf(1);
      engine.clock.advance(SECOND_MS);
    }
    // Seconds 3 to 9, three windows of ten, and seconds 0 to 2: all of the last are within its five.
    assert.equal(admitted, 5 + 5 + 5 + 5 + 3);
  });

  for (const algorithm of WINDOW_ALGORITHMS) {
    itOnBoth(
      `B16: ${algorithm} with a limit of 0 denies all, without a time to come back`,
      async (engine) => {
        const asker = new Asker(engine, setOf({ algorithm, limit: 0, windowMs: 10 * SECOND_MS }));
        assert.equal(await asker.admittedOf(1000), 0);
        assert.equal((await asker.check(0)).admitted, false);
        const [only] = (await asker.check()).limits;
        assert.deepEqual(
          { ...only },
          { admits: false, remaining: 0, resetMs: -1, retryAtMs: -1, growsAtMs: -1, delayMs: 0 },
        );
      },
    );

    itOnBoth(
      `B17: ${algorithm}: a cost of 0 asks, also when exhausted, and changes nothing`,
      async (engine) => {
        const asker = new Asker(engine, setOf({ algorithm, limit: 10, windowMs: 60 * SECOND_MS }));
        await asker.admittedOf(4);
        const [asked] = (await asker.check(0)).limits;
        assert.deepEqual([asked?.admits, asked?.remaining], [true, 6]);
        assert.equal(await asker.admittedOf(10), 6);
        const [exhausted] = (await asker.check(0)).limits;
        assert.deepEqual([exhausted?.admits, exhausted?.remaining], [true, 0]);
      },
    );

    itOnBoth(
      `B06: ${algorithm}: a cost beyond the capacity is denied for good and changes nothing`,
      async (engine) => {
        const asker = new Asker(engine, setOf({ algorithm, limit: 300, windowMs: 60 * SECOND_MS }));
        const [impossible] = (await asker.check(301)).limits;
        assert.deepEqual([impossible?.admits, impossible?.retryAtMs], [false, -1]);
        assert.deepEqual((await asker.check(1)).limits[0]?.remaining, 299);
      },
    );
  }

  itOnBoth(
    'B24: fixed_window 10/1s at its edges: 10 in a window, never a reset in the past',
    async (engine) => {
      const limit = limitOf({ algorithm: 'fixed_window', limit: 10, windowMs: SECOND_MS });
      const asker = new Asker(engine, { limits: [limit] });
      engine.clock.set(1_800_000_000_000 - 3);
      const admittedBy = new Map<number, number>();
      // Each millisecond around the edges of 30 windows, and every 5 ms between.
      for (let step = 0; step < 30 * 200; step++) {
        const outcomes = await Promise.all([asker.check(), asker.check()]);
        for (const { admitted, limits, nowMs } of outcomes) {
          const resetMs = limits[0]?.resetMs ?? 0;
          assert.ok(resetMs > nowMs && resetMs <= nowMs + SECOND_MS);
          if (admitted) admittedBy.set(resetMs, (admittedBy.get(resetMs) ?? 0) + 1);
        }
        const toEdgeMs = engine.clock.nowMs() % SECOND_MS;
        engine.clock.advance(toEdgeMs < 5 || toEdgeMs >= SECOND_MS - 5 ? 1 : 5);
      }
      const admitted = [...admittedBy.values()];
      assert.ok(admitted.every((count) => count <= capacityOf(limit)));
      // The first window was entered 3 ms before its end, the last was left early.
      const whole = admitted.slice(1, -1);
      assert.ok(whole.length >= 20 && whole.every((count) => count === capacityOf(limit)), String(admitted));
    },
  );

  itOnBoth('B07: gcra 1,000/60s: remaining falls by one each time, and the burst passes', async (engine) => {
    const asker = new Asker(engine, setOf({ algorithm: 'gcra', limit: 1000, windowMs: 60 * SECOND_MS }));
    for (let passed = 1; passed <= 1000; passed++) {
      assert.equal((await asker.check()).limits[0]?.remaining, 1000 - passed);
    }
    assert.equal(await asker.admittedOf(101), 0);
  });

  itOnBoth('B07: gcra of 2,000/s with a burst of 1 keeps pace with its rate', async (engine) => {
    const asker = new Asker(engine, setOf({ algorithm: 'gcra', limit: 2000, windowMs: SECOND_MS, burst: 1 }));
    for (let request = 0; request < 20; request++) {
      assert.equal((await asker.check()).admitted, true);
      engine.clock.advance(10);
    }
  });

  itOnBoth('B07: gcra of 8,000/s: 200 in parallel, then each millisecond', async (engine) => {
    const asker = new Asker(engine, setOf({ algorithm: 'gcra', limit: 8000, windowMs: SECOND_MS, burst: 1 }));
    assert.equal(await asker.admittedOf(200), 1);
    for (let millisecond = 0; millisecond < 20; millisecond++) {
      engine.clock.advance(1);
      assert.equal(await asker.admittedOf(20), 1, 'a burst of 1 holds one at a time');
    }
  });
});

describe('the bucket family and the sliding window', () => {
  for (const algorithm of ['leaky_bucket', 'token_bucket', 'gcra'] as const) {
    itOnBoth(`B04: ${algorithm} 3/1000ms, a request each 100 ms: its end is no refill`, async (engine) => {
      const asker = new Asker(engine, setOf({ algorithm, limit: 3, windowMs: SECOND_MS }));
      let admitted = 0;
      let before = 3;
      for (let request = 0; request < 100; request++) {
        const outcome = await asker.check();
        admitted += outcome.admitted ? 1 : 0;
        const remaining = outcome.limits[0]?.remaining ?? 0;
        assert.ok(remaining <= before + 1, `remaining rose from ${before} to ${remaining}`);
        before = remaining;
        engine.clock.advance(100);
      }
      assert.ok(admitted >= 31 && admitted <= 33, String(admitted));
    });

    itOnBoth(`B05: ${algorithm} 10/30s hit once a second goes on leaking`, async (engine) => {
      const asker = new Asker(engine, setOf({ algorithm, limit: 10, windowMs: 30 * SECOND_MS }));
      const remaining: (number | undefined)[] = [];
      for (let hit = 0; hit < 11; hit++) {
        remaining.push((await asker.check()).limits[0]?.remaining);
        engine.clock.advance(SECOND_MS);
      }
      assert.deepEqual(remaining, [9, 8, 7, 7, 6, 5, 5, 4, 3, 3, 2]);
    });
  }

  itOnBoth('leaky_bucket says when to proceed, so that a burst passes evenly spaced', async (engine) => {
    const asker = new Asker(engine, setOf({ algorithm: 'leaky_bucket', limit: 4, windowMs: SECOND_MS }));
    const delays = [];
    for (let request = 0; request < 5; request++) delays.push((await asker.check()).limits[0]?.delayMs);
    assert.deepEqual(delays, [0, 250, 500, 750, 0], 'the fifth is denied');
    assert.equal((await asker.peek(0)).limits[0]?.delayMs, 1000);
  });

  itOnBoth('B10: a sliding window remembers the hits made just before its end', async (engine) => {
    const asker = new Asker(
      engine,
      setOf({ algorithm: 'sliding_window', limit: 10, windowMs: 60 * SECOND_MS }),
    );
    assert.equal(await asker.admittedOf(1), 1);
    engine.clock.advance(59 * SECOND_MS);
    assert.equal(await asker.admittedOf(8), 8);
    engine.clock.advance(2 * SECOND_MS);
    const admitted = await asker.admittedOf(9);
    assert.ok(admitted >= 1 && admitted <= 2, String(admitted));
  });
});

describe('coming back', () => {
  itOnBoth(
    'B60: 200 who were refused come back when they were told: exactly the limit passes',
    async (engine) => {
      const asker = new Asker(
        engine,
        setOf({ algorithm: 'fixed_window', limit: 10, windowMs: 60 * SECOND_MS }),
      );
      await asker.admittedOf(10);
      const refused = await Promise.all(Array.from({ length: 200 }, () => asker.check()));
      const toldMs = refused.map(({ limits, nowMs }) => {
        const retryAfter = Math.max(1, Math.ceil(((limits[0]?.retryAtMs ?? 0) - nowMs) / SECOND_MS));
        assert.ok(nowMs + retryAfter * SECOND_MS >= (limits[0]?.resetMs ?? 0), 'never before the true reset');
        return nowMs + retryAfter * SECOND_MS;
      });
      engine.clock.set(Math.min(...toldMs));
      assert.equal(await asker.admittedOf(200), 10);
    },
  );
});
