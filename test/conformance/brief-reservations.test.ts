import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { BRIEF, RESERVATIONS_MAX } from '../../src/limiter/reservations.ts';
import { startBothEngines } from '../support/both-engines.ts';
import { Asker, freshKey, setOf } from '../support/counter-engines.ts';

const DAY_MS = 86_400_000;

describe('reservations of a batch over several servers', () => {
  const itOnBoth = startBothEngines();
  const set = setOf({ algorithm: 'fixed_window', limit: 10_000, windowMs: DAY_MS });

  itOnBoth('are none of those that an identifier may have', async (engine) => {
    const asker = new Asker(engine, set);
    const many = Array.from({ length: RESERVATIONS_MAX }, (_, index) => `${BRIEF}t${index}:5000`);
    for (let first = 0; first < many.length; first += 50) {
      await Promise.all(many.slice(first, first + 50).map((reservation) => asker.check(1, { reservation })));
    }
    const { admitted, token } = await asker.check(1, { reservation: 'own:5000' });
    assert.deepEqual([admitted, token], [true, 'own:5000']);
    for (let count = 1; count < RESERVATIONS_MAX; count += 37)
      await Promise.all(
        Array.from({ length: 37 }, (_, index) =>
          asker.check(1, { reservation: `o${count + index}:5000` }).catch(() => undefined),
        ),
      );
    await assert.rejects(asker.check(1, { reservation: 'one-too-many:5000' }), /reservations/);
    assert.equal((await asker.check(1, { reservation: `${BRIEF}another:5000` })).admitted, true);
  });

  itOnBoth(
    'are gone once they are settled, told to nobody, and given back when they run out',
    async (engine) => {
      const asker = new Asker(engine, set);
      const token = `${BRIEF}t:5000`;
      const settle = (cost: number) => engine.counters.settle({ key: asker.key, set, token, cost });
      const requestKey = freshKey();
      const first = await asker.check(7, { reservation: token, requestKey });
      assert.deepEqual([first.admitted, first.token], [true, undefined]);
      assert.deepEqual(await settle(7), { reserved: 7, actual: 7, isLate: false });
      assert.equal(await settle(7), undefined);
      const again = await asker.check(7, { requestKey });
      assert.deepEqual([again.isRepeated, again.token, again.limits], [true, undefined, first.limits]);
      assert.equal((await asker.peek()).limits[0]?.remaining, 9993);
      await asker.check(5, { reservation: token });
      engine.clock.advance(5000);
      assert.equal((await asker.peek()).limits[0]?.remaining, 9993);
      assert.deepEqual(await settle(5), { reserved: 5, actual: 5, isLate: true });
      assert.equal((await asker.peek()).limits[0]?.remaining, 9988);
    },
  );
});
