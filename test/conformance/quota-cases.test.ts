import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { startBothEngines } from '../support/both-engines.ts';
import { Asker, quotaOf, setOf } from '../support/counter-engines.ts';

const SECOND_MS = 1000;

const itOnBoth = startBothEngines();

describe('quotas', () => {
  itOnBoth('B22: a day in Shanghai: used up at 23:59:50, whole again at midnight', async (engine) => {
    const asker = new Asker(engine, setOf(quotaOf(3, 'day', { timeZone: 'Asia/Shanghai' })));
    engine.clock.set(Date.parse('2026-06-01T15:59:50Z'));
    assert.equal(await asker.admittedOf(4), 3);
    const denied = (await asker.check()).limits[0];
    assert.equal(denied?.retryAtMs, Date.parse('2026-06-01T16:00:00Z'));
    engine.clock.set(Date.parse('2026-06-01T16:00:05Z'));
    const [first] = (await asker.check()).limits;
    assert.deepEqual([first?.admits, first?.remaining], [true, 2]);
    assert.equal(first?.resetMs, Date.parse('2026-06-02T16:00:00Z'));
  });

  itOnBoth('B25: a lowered quota shows nothing left, a raised one what it adds', async (engine) => {
    const asker = new Asker(engine, setOf(quotaOf(5_000_000, 'day')));
    assert.equal(await asker.admittedOf(35), 35);
    asker.set = setOf(quotaOf(10, 'day'));
    assert.deepEqual([(await asker.check()).admitted, (await asker.peek()).limits[0]?.remaining], [false, 0]);
    asker.set = setOf(quotaOf(40, 'day'));
    assert.equal((await asker.peek()).limits[0]?.remaining, 5);
    assert.equal(await asker.admittedOf(10), 5);
  });

  itOnBoth('B26: a quota that never renews counts all, and promises no return', async (engine) => {
    const asker = new Asker(engine, setOf(quotaOf(50, 'never')));
    assert.equal(await asker.admittedOf(60), 50);
    engine.clock.advance(400 * 86_400 * SECOND_MS);
    const [denied] = (await asker.check()).limits;
    assert.deepEqual(
      [denied?.admits, denied?.retryAtMs, denied?.resetMs, denied?.growsAtMs],
      [false, -1, -1, -1],
    );
  });

  itOnBoth(
    '10 a second, 1,000 an hour and 20,000 a month are checked and committed together',
    async (engine) => {
      const perSecond = { algorithm: 'token_bucket', limit: 10, windowMs: SECOND_MS } as const;
      const asker = new Asker(engine, setOf(perSecond, quotaOf(12, 'hour'), quotaOf(20_000, 'month')));
      assert.equal(await asker.admittedOf(20), 10);
      engine.clock.advance(SECOND_MS);
      assert.equal(await asker.admittedOf(20), 2, 'the hour has 12');
      const remaining = (await asker.peek()).limits.map((limit) => limit.remaining);
      assert.deepEqual(remaining, [8, 0, 19_988], 'what the hour denied was charged to none');
    },
  );

  itOnBoth('after a step back into the period before, what was used stays', async (engine) => {
    const asker = new Asker(engine, setOf(quotaOf(3, 'hour')));
    engine.clock.set(Date.parse('2026-06-01T12:00:01Z'));
    await asker.admittedOf(3);
    engine.clock.set(Date.parse('2026-06-01T11:59:59Z'));
    const [denied] = (await asker.check()).limits;
    assert.deepEqual([denied?.admits, denied?.retryAtMs], [false, Date.parse('2026-06-01T12:00:00Z')]);
    engine.clock.set(Date.parse('2026-06-01T12:00:00Z'));
    assert.equal((await asker.check()).admitted, true);
  });
});

describe('a limit on trial', () => {
  const enforced = {
    name: 'enforced',
    algorithm: 'fixed_window',
    limit: 5,
    windowMs: 60 * SECOND_MS,
  } as const;

  for (const [trial, limit, admitted] of [
    ['tighter', 3, 3],
    ['wider', 8, 8],
  ] as const) {
    itOnBoth(`that is ${trial} never denies, and counts for itself what it would admit`, async (engine) => {
      const shadow = { ...enforced, name: 'trial', mode: 'shadow', limit } as const;
      const asker = new Asker(engine, setOf(enforced, shadow));
      assert.equal(await asker.admittedOf(10), 5);
      const [real, tried] = (await asker.peek()).limits;
      assert.deepEqual([real?.remaining, tried?.remaining, tried?.admits], [0, limit - admitted, false]);
    });
  }

  itOnBoth('alone lets everything pass', async (engine) => {
    const asker = new Asker(engine, setOf({ ...enforced, mode: 'shadow', limit: 0 }));
    assert.equal(await asker.admittedOf(20), 20);
  });
});
