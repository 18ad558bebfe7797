import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { modelOf } from '../../../src/limiter/algorithms/models.ts';
import type { CounterOutcome, LimitSet } from '../../../src/limiter/counters.ts';
import { capacityOf, isBucket, type Limit } from '../../../src/limiter/limit.ts';
import { shareOf } from '../../../src/limiter/local/share.ts';
import { EmbeddedCounters } from '../../../src/stores/embedded/embedded-counters.ts';
import { checking, localHouse, setsOf } from '../../support/local-house.ts';

const OUTAGES = Number(process.env.BRUME_TEST_HISTORIES ?? 150);
const WINDOW_MS = 1000;
const ROUND_MS = 250;

interface Asked {
  readonly node: number;
  readonly cost: number;
  readonly afterMs: number;
}

const ASKED = fc.array(
  fc.record({
    node: fc.nat({ max: 2 }),
    cost: fc.integer({ min: 1, max: 4 }),
    afterMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 120 }), fc.constantFrom(500, 1000)),
  }),
  { maxLength: 40 },
);

const OUTAGE = fc.record({
  nodes: fc.integer({ min: 1, max: 3 }),
  limit: fc.integer({ min: 1, max: 30 }),
  before: ASKED,
  during: ASKED,
});

/** What all nodes admitted, counted in one place, whatever the limit. */
class Truth {
  readonly #counters: EmbeddedCounters;
  readonly #set: LimitSet;
  readonly #limit: Limit;

  constructor(clock: ConstructorParameters<typeof EmbeddedCounters>[0]['clock'], set: LimitSet) {
    this.#counters = new EmbeddedCounters({ clock, identifiersMax: 10 });
    this.#set = set;
    this.#limit = set.limits[0] as Limit;
  }

  async count(cost: number): Promise<void> {
    const model = modelOf(this.#limit.algorithm);
    const nowMs = this.#counters.nowMs();
    const { state } = model.stand(this.#limit, undefined, nowMs);
    const counted = new Map([[this.#limit.name, model.charge(this.#limit, state, cost, nowMs)]]);
    await this.#counters.merge([{ key: 'alice', set: this.#set, counted }]);
  }

  async remaining(): Promise<number> {
    return remainingOf(await this.#counters.check({ key: 'alice', set: this.#set, cost: 0, peek: true }));
  }
}

function remainingOf({ limits }: CounterOutcome): number {
  return limits[0]?.remaining ?? Number.NaN;
}

/** How much the nodes may admit in an outage of so long, beyond what the store held. */
function bound(limit: Limit, nodes: number, outage: { startMs: number; endMs: number }): number {
  const share = shareOf(limit.limit, nodes);
  if (limit.algorithm === 'quota') return nodes * share;
  if (isBucket(limit.algorithm)) {
    const grown = Math.ceil((share * (outage.endMs - outage.startMs)) / WINDOW_MS);
    return nodes * (shareOf(capacityOf(limit), nodes) + grown);
  }
  const windows = Math.floor(outage.endMs / WINDOW_MS) - Math.floor(outage.startMs / WINDOW_MS) + 1;
  return nodes * share * windows;
}

describe('an outage of the store, over several nodes', () => {
  for (const algorithm of setsOf(1).map(([name]) => name)) {
    it(`admits at most nodes x share a window beyond what it held, and gives nothing twice: ${algorithm}`, async () => {
      const property = fc.asyncProperty(OUTAGE, async ({ nodes, limit, before, during }) => {
        const house = localHouse({ nodes });
        const { time, store } = house;
        const set = setsOf(limit, WINDOW_MS).find(([name]) => name === algorithm)?.[1] as LimitSet;
        const only = set.limits[0] as Limit;
        const truth = new Truth(time, set);
        const ask = async ({ node, cost, afterMs }: Asked) => {
          await time.advance(afterMs);
          const outcome = await house.nodes[node % nodes]?.check(checking(set, { cost }));
          if (outcome?.admitted !== true) return 0;
          await truth.count(cost);
          return cost;
        };

        for (const asked of before) await ask(asked);
        let left = 0;
        for (const node of house.nodes)
          left = remainingOf(await node.check(checking(set, { peek: true, cost: 0 })));

        store.fault = 'unavailable';
        const startMs = time.nowMs();
        let admitted = 0;
        let atOnce = 0;
        for (const asked of during) {
          admitted += await ask(asked);
          if (time.nowMs() === startMs) atOnce = admitted;
        }
        const endMs = time.nowMs();
        assert.ok(admitted <= bound(only, nodes, { startMs, endMs }), `${admitted} in the outage`);
        const share = shareOf(capacityOf(only), nodes);
        assert.ok(atOnce <= nodes * Math.min(share, left), `${atOnce} at once, of ${left} left`);

        store.fault = undefined;
        for (let turn = 0; turn < 3; turn++) await time.advance(ROUND_MS);
        assert.ok(house.nodes.every((node) => node.stats().identifiers === 0 && node.stats().lost === 0));
        const [back, real] = [
          remainingOf(await store.check(checking(set, { peek: true, cost: 0 }))),
          await truth.remaining(),
        ];
        // Where a bucket's limit is smaller than the number of nodes, their parts drain faster than the whole.
        const isExact = !isBucket(only.algorithm) || limit >= nodes;
        assert.ok(!isExact || back <= real, `${back} left in the store, ${real} really`);
        // Of buckets less may be left: by what was rounded, what would have drained on the way to the store, and
        // what the share of the others drained without them.
        const onTheWay = 1 + Math.ceil((limit * ROUND_MS) / WINDOW_MS);
        if (!isBucket(only.algorithm)) assert.equal(back, real);
        else if (nodes === 1) assert.ok(back >= real - onTheWay, `${back} left in the store, ${real} really`);
      });
      await fc.assert(property, { numRuns: OUTAGES });
    });
  }
});
