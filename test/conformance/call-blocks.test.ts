import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { CallBlocks } from '../../src/limiter/calls/call-blocks.ts';
import { type CallCeiling, dayCeiling, rateCeiling } from '../../src/limiter/calls/call-ceiling.ts';
import { startBothEngines } from '../support/both-engines.ts';
import { type Engine, freshKey } from '../support/counter-engines.ts';

const itOnBoth = startBothEngines();

/** A node on these counters, whose own clock goes as theirs does. */
function nodeOn({ counters, clock }: Engine, key: string, faults: unknown[]): CallBlocks {
  return new CallBlocks({
    counters: { check: (check) => counters.check(check), nowMs: () => clock.nowMs() },
    clock: { nowMs: () => clock.nowMs(), monotonicMs: () => clock.nowMs() },
    keyOf: () => key,
    liveNodes: () => 2,
    onFault: (_subject, error) => faults.push(error),
  });
}

async function passOf(count: number, nodes: readonly CallBlocks[], ceiling: CallCeiling): Promise<number> {
  let passed = 0;
  for (let n = 0; n < count; n += 20) {
    const some = Array.from({ length: 20 }, (_, index) => nodes[index % nodes.length]?.take('s', ceiling));
    passed += (await Promise.all(some)).filter((answer) => answer === 0).length;
  }
  return passed;
}

describe('calls that are taken in blocks', () => {
  itOnBoth('a node alone is exact, by rate and by day', async (engine) => {
    const rate = rateCeiling(100, 250);
    const faults: unknown[] = [];
    const one = [nodeOn(engine, freshKey(), faults)];
    assert.equal(await passOf(300, one, rate), 250);
    engine.clock.advance(1000);
    const passed = await passOf(300, one, rate);
    assert.ok(passed >= 100 - rate.block && passed <= 100, `${passed}`);

    const day = dayCeiling(1500);
    const other = [nodeOn(engine, freshKey(), faults)];
    assert.equal(await passOf(1600, other, day), 1500);
    engine.clock.advance(86_400_000);
    assert.equal(await passOf(1600, other, day), 1500);
    assert.deepEqual(faults, []);
  });

  itOnBoth('two nodes differ from the ceiling by a block each at most', async (engine) => {
    for (const [ceiling, count] of [
      [rateCeiling(100, 500), 500],
      [dayCeiling(3000), 3000],
    ] as const) {
      const key = freshKey();
      const faults: unknown[] = [];
      const passed = await passOf(
        count + 500,
        [nodeOn(engine, key, faults), nodeOn(engine, key, faults)],
        ceiling,
      );
      assert.ok(Math.abs(passed - count) <= 2 * ceiling.block, `${passed} of ${count}`);
      assert.deepEqual(faults, []);
    }
  });
});
