import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CallBlocks } from '../../../src/limiter/calls/call-blocks.ts';
import { type CallCeiling, dayCeiling, rateCeiling } from '../../../src/limiter/calls/call-ceiling.ts';
import type { CounterCheck } from '../../../src/limiter/counters.ts';
import { CountersError } from '../../../src/limiter/counters.ts';
import { EmbeddedCounters } from '../../../src/stores/embedded/embedded-counters.ts';
import { ManualTime, settled } from '../../support/manual-time.ts';

const SUBJECT = 'key key_1';

/** Nodes that share counters, which can be slow or away. */
class Nodes {
  readonly time = new ManualTime();
  readonly #counters = new EmbeddedCounters({ clock: this.time, identifiersMax: 1000 });
  readonly nodes: CallBlocks[];
  askCount = 0;
  faults: unknown[] = [];
  fault: Error | undefined;
  /** The counters count, and their answers come too late. */
  isAnswerLost = false;
  /** Set: answers wait for it. */
  delay: Promise<void> | undefined;

  constructor(count = 1, subjectsMax?: number) {
    const counters = {
      nowMs: () => this.time.nowMs(),
      check: async (check: CounterCheck) => {
        this.askCount += 1;
        if (this.delay !== undefined) await this.delay;
        if (this.fault !== undefined) throw this.fault;
        const outcome = await this.#counters.check(check);
        if (this.isAnswerLost) throw new CountersError('timeout', 'lost');
        return outcome;
      },
    };
    this.nodes = Array.from(
      { length: count },
      () =>
        new CallBlocks({
          counters,
          clock: this.time,
          keyOf: (subject) => subject.replaceAll(' ', '_').padEnd(22, '-'),
          liveNodes: () => count,
          later: (work) => void this.time.after(1000, work),
          onFault: (_subject, error) => this.faults.push(error),
          ...(subjectsMax !== undefined && { subjectsMax }),
        }),
    );
  }

  take(ceiling: CallCeiling, node = 0, subject = SUBJECT): number | Promise<number> {
    return (this.nodes[node] as CallBlocks).take(subject, ceiling);
  }

  /** How many of so many calls pass, one after the other. */
  async passOf(count: number, ceiling: CallCeiling, node = 0, subject = SUBJECT): Promise<number> {
    let passed = 0;
    for (let n = 0; n < count; n++) {
      if ((await this.take(ceiling, node, subject)) === 0) passed += 1;
      await settled();
    }
    return passed;
  }
}

for (const [rate, burst] of [
  [1, 1],
  [1, 5],
  [5, 5],
  [100, 7],
  [100, 250],
  [1000, 1000],
] as const) {
  test(`one node lets exactly the burst of ${burst} pass at once, and then ${rate} a second`, async () => {
    const nodes = new Nodes();
    const ceiling = rateCeiling(rate, burst);
    assert.equal(await nodes.passOf(burst + 20, ceiling), burst);
    let passed = 0;
    for (let second = 0; second < 10; second++) {
      for (let part = 0; part < 20; part++) {
        await nodes.time.advance(50);
        passed += await nodes.passOf(Math.ceil((2 * rate) / 20), ceiling);
      }
    }
    assert.ok(
      passed <= 10 * rate && passed >= Math.min(10 * rate, 10 * 20 * burst) - ceiling.block - 1,
      `${passed}`,
    );
  });

  test(`calls that come together are as many as ${burst} too, whatever ${rate} a second make of a block`, async () => {
    const nodes = new Nodes();
    const ceiling = rateCeiling(rate, burst);
    const answers = await Promise.all(Array.from({ length: burst + 20 }, () => nodes.take(ceiling)));
    assert.equal(answers.filter((answer) => answer === 0).length, burst);
  });
}

test('calls within a block wait for nothing, and hardly ask the counters', async () => {
  const nodes = new Nodes();
  const ceiling = rateCeiling(1000, 1000);
  let open = () => {};
  nodes.delay = new Promise((resolve) => {
    open = resolve;
  });
  for (let n = 0; n < ceiling.block / 2; n++) assert.equal(nodes.take(ceiling), 0);
  assert.ok(nodes.take(ceiling) instanceof Promise, 'more would be owed than a node may owe');
  open();
  nodes.delay = undefined;
  await settled();
  nodes.askCount = 0;
  assert.equal(await nodes.passOf(500, ceiling), 500);
  assert.ok(nodes.askCount <= 500 / (ceiling.block / 4), `${nodes.askCount} asks`);
});

test('who is refused and comes when told passes, and a moment sooner does not', async () => {
  const nodes = new Nodes();
  const ceiling = rateCeiling(1, 2);
  assert.equal(await nodes.passOf(2, ceiling), 2);
  assert.equal(await nodes.take(ceiling), 1);
  await nodes.time.advance(999);
  assert.equal(await nodes.take(ceiling), 1);
  await nodes.time.advance(1);
  assert.equal(await nodes.take(ceiling), 0);
});

test('nodes together let no more pass than the counters granted and a block for each', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 500 }),
      fc.integer({ min: 1, max: 500 }),
      fc.integer({ min: 1, max: 4 }),
      fc.array(
        fc.record({
          node: fc.nat(3),
          calls: fc.integer({ min: 1, max: 60 }),
          waitMs: fc.nat(400),
          together: fc.boolean(),
        }),
        { minLength: 1, maxLength: 30 },
      ),
      async (rate, burst, count, steps) => {
        const nodes = new Nodes(count);
        const ceiling = rateCeiling(rate, burst);
        let passed = 0;
        let passedMs = 0;
        for (const { node, calls, waitMs, together } of steps) {
          if (together) {
            const all = Array.from({ length: calls }, () => nodes.take(ceiling, node % count));
            passed += (await Promise.all(all)).filter((answer) => answer === 0).length;
          } else passed += await nodes.passOf(calls, ceiling, node % count);
          const most = burst + (passedMs * rate) / 1000 + count * ceiling.block;
          assert.ok(passed <= most, `${passed} passed of at most ${most}`);
          await nodes.time.advance(waitMs);
          passedMs += waitMs;
        }
      },
    ),
    { numRuns: 60 },
  );
});

test('a budget is exact on one node, and new at midnight UTC', async () => {
  const nodes = new Nodes();
  const budget = dayCeiling(2500);
  assert.equal(await nodes.passOf(2600, budget), 2500);
  const untilMidnightS = Math.ceil((86_400_000 - (nodes.time.nowMs() % 86_400_000)) / 1000);
  assert.equal(await nodes.take(budget), untilMidnightS);
  await nodes.time.advance(untilMidnightS * 1000 - 1);
  assert.equal(await nodes.take(budget), 1);
  await nodes.time.advance(1);
  assert.equal(await nodes.passOf(2600, budget), 2500);
});

test('nodes share a budget, but for a block each', async () => {
  const nodes = new Nodes(3);
  const budget = dayCeiling(10_000);
  let passed = 0;
  for (let n = 0; n < 12_000; n++) {
    if ((await nodes.take(budget, n % 3)) === 0) passed += 1;
    await settled();
  }
  assert.ok(Math.abs(passed - 10_000) <= 3 * budget.block, `${passed}`);
});

test('a raised budget holds at once, a lowered one too', async () => {
  const nodes = new Nodes();
  assert.equal(await nodes.passOf(20, dayCeiling(10)), 10);
  assert.equal(await nodes.passOf(20, dayCeiling(15)), 5);
  assert.equal(await nodes.passOf(20, dayCeiling(12)), 0);
});

test('a budget of 0 lets nobody pass', async () => {
  assert.equal(await new Nodes().passOf(3, dayCeiling(0)), 0);
});

test('without the counters a node goes on by its share, and asks them no oftener than once a second', async () => {
  const nodes = new Nodes(2);
  nodes.fault = new CountersError('unavailable', 'gone');
  const ceiling = rateCeiling(100, 200);
  assert.ok((await nodes.passOf(500, ceiling)) <= 100 + ceiling.block);
  assert.equal(nodes.faults.length, 1);
  let passed = 0;
  for (let n = 0; n < 100; n++) {
    await nodes.time.advance(100);
    passed += await nodes.passOf(20, ceiling);
  }
  assert.ok(passed >= 490 && passed <= 501, `${passed} in 10 s at half of 100 a second`);
  assert.ok(nodes.faults.length <= 11, `${nodes.faults.length} asks`);
  nodes.fault = undefined;
  await nodes.time.advance(1000);
  passed = await nodes.passOf(400, ceiling);
  assert.ok(passed <= 200 + 50, `${passed}`);
  await nodes.time.advance(1000);
  passed = await nodes.passOf(200, ceiling);
  assert.ok(passed >= 99 - ceiling.block && passed <= 101, `${passed} a second, counted together again`);
});

test('a node without counters keeps to what it last knew to be left', async () => {
  const nodes = new Nodes();
  const budget = dayCeiling(100);
  assert.equal(await nodes.passOf(80, budget), 80);
  nodes.fault = new CountersError('timeout', 'slow');
  await nodes.time.advance(1000);
  const passed = await nodes.passOf(200, budget);
  assert.ok(passed >= 20 && passed <= 20 + budget.block, `${passed}`);
});

test('however often the counters go away, a budget is not exceeded for it', async () => {
  for (const size of [100, 10_000]) {
    const nodes = new Nodes();
    const budget = dayCeiling(size);
    let passed = await nodes.passOf(size / 10, budget);
    for (let outage = 0; outage < 6; outage++) {
      nodes.fault = new CountersError('unavailable', 'gone');
      passed += await nodes.passOf(size / 5, budget);
      nodes.fault = undefined;
      await nodes.time.advance(1000);
      passed += await nodes.passOf(size / 20, budget);
    }
    assert.ok(passed <= size + budget.block, `${passed} of ${size}`);
    assert.ok(passed >= size - budget.block, `${passed} of ${size}`);
  }
});

test('nodes without counters share what was left, and on their return owe it to each other', async () => {
  const nodes = new Nodes(2);
  const budget = dayCeiling(1000);
  let passed = (await nodes.passOf(200, budget, 0)) + (await nodes.passOf(200, budget, 1));
  nodes.fault = new CountersError('unavailable', 'gone');
  const alone = (await nodes.passOf(1000, budget, 0)) + (await nodes.passOf(100, budget, 1));
  assert.ok(alone <= 100 + 400 + budget.block + 1, `${alone}: half of what was left, at most`);
  passed += alone;
  nodes.fault = undefined;
  await nodes.time.advance(2000);
  passed += await nodes.passOf(1000, budget, 1);
  passed += await nodes.passOf(1000, budget, 0);
  assert.ok(passed <= 1000 + 2 * budget.block, `${passed}`);
  for (let outage = 0; outage < 4; outage++) {
    nodes.fault = new CountersError('unavailable', 'gone');
    assert.equal(await nodes.passOf(300, budget, 0), 0);
    nodes.fault = undefined;
    await nodes.time.advance(1000);
    assert.equal(await nodes.passOf(300, budget, 1), 0);
  }
});

test('what somebody owes is charged when the counters are back, also if they call no more', async () => {
  const nodes = new Nodes(2);
  const budget = dayCeiling(100);
  nodes.fault = new CountersError('unavailable', 'gone');
  assert.equal(await nodes.passOf(40, budget, 0, 'quiet'), 40);
  nodes.fault = undefined;
  await nodes.time.advance(2000);
  const passed = await nodes.passOf(100, budget, 1, 'quiet');
  assert.ok(passed <= 60 + budget.block, `${passed}`);
});

test('counters that count and are too slow to answer do not count again and again', async () => {
  const nodes = new Nodes();
  const budget = dayCeiling(1000);
  await nodes.passOf(100, budget);
  nodes.isAnswerLost = true;
  let passed = 100;
  for (let second = 0; second < 30; second++) {
    passed += await nodes.passOf(10, budget);
    await nodes.time.advance(1000);
  }
  nodes.isAnswerLost = false;
  passed += await nodes.passOf(1000, budget);
  assert.ok(passed >= 990 && passed <= 1000 + budget.block, `${passed}`);
});

test('a fault that nobody foresaw stops no call', async () => {
  const nodes = new Nodes();
  nodes.fault = new Error('unforeseen');
  assert.equal(await nodes.take(rateCeiling(1, 5)), 0);
  await settled();
  assert.equal(nodes.faults.length, 1);
});

test('subjects beyond the bound are forgotten, those that came last are not', async () => {
  const nodes = new Nodes(1, 10);
  const ceiling = rateCeiling(1, 1);
  for (let n = 0; n < 1000; n++) void nodes.take(ceiling, 0, `key ${n}`);
  await settled();
  assert.equal(await nodes.take(ceiling, 0, 'key 999'), 1);
});
