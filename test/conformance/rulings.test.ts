import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { startBothEngines } from '../support/both-engines.ts';
import { Asker, setOf } from '../support/counter-engines.ts';

const NO_LIMITS = { limits: [] };
const MINUTE = { algorithm: 'fixed_window', limit: 3, windowMs: 60_000 } as const;

describe('blocks and exemptions in the counters’ step', () => {
  const itOnBoth = startBothEngines();

  itOnBoth('a block denies, consumes nothing, and lifting it shows the count as it was', async (engine) => {
    const asker = new Asker(engine, setOf(MINUTE));
    await asker.check();
    for (let time = 0; time < 3; time++) {
      const { admitted, limits } = await asker.check(1, { ruling: 'blocked', set: NO_LIMITS });
      assert.deepEqual({ admitted, limits }, { admitted: false, limits: [] });
    }
    const [limit] = (await asker.peek()).limits;
    assert.equal(limit?.remaining, 2);
  });

  itOnBoth('an exemption allows what no limit would, and consumes nothing', async (engine) => {
    const asker = new Asker(engine, setOf(MINUTE));
    const { admitted } = await asker.check(1000, { ruling: 'exempt', set: NO_LIMITS });
    assert.equal(admitted, true);
    assert.equal((await asker.peek()).limits[0]?.remaining, 3);
  });

  itOnBoth('an override goes on with what was used under the rule, and back', async (engine) => {
    const asker = new Asker(engine, setOf(MINUTE));
    assert.equal(await asker.admittedOf(4), 3);
    const override = setOf({ ...MINUTE, limit: 5 });
    assert.equal((await asker.check(1, { set: override })).admitted, true);
    assert.equal((await asker.check(1, { set: override })).admitted, true);
    assert.equal((await asker.check(1, { set: override })).admitted, false);
    assert.equal((await asker.check()).admitted, false);
  });

  itOnBoth('one blocked check of an atomic batch holds all the others back', async (engine) => {
    const set = setOf(MINUTE);
    const [one, two] = [new Asker(engine, set), new Asker(engine, set)];
    const checkOf = ({ key }: Asker) => ({ key, set, cost: 1, peek: false });
    const exempt = { ...checkOf(new Asker(engine, set)), set: NO_LIMITS, ruling: 'exempt' } as const;
    const blocked = { ...checkOf(two), set: NO_LIMITS, ruling: 'blocked' } as const;
    const outcomes = await engine.counters.checkAtomically([checkOf(one), blocked, exempt]);
    assert.deepEqual(
      outcomes.map(({ admitted, isHeldBack }) => [admitted, isHeldBack]),
      [
        [false, true],
        [false, false],
        [false, true],
      ],
    );
    assert.equal((await one.peek()).limits[0]?.remaining, 3);
  });
});
