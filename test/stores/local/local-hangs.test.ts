import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { CountersFault, LimitSet } from '../../../src/limiter/counters.ts';
import { capacityOf, isBucket, type Limit } from '../../../src/limiter/limit.ts';
import { shareOf } from '../../../src/limiter/local/share.ts';
import { checking, localHouse, setsOf } from '../../support/local-house.ts';

const HISTORIES = Number(process.env.BRUME_TEST_HISTORIES ?? 300);
const WINDOW_MS = 5000;
const NODES = 2;

/** What one node asks, and what becomes of it and of all that is merged meanwhile. */
interface Step {
  readonly node: number;
  /** So many checks at once. */
  readonly count: number;
  readonly afterMs: number;
  readonly fault: CountersFault | undefined;
  readonly mergeFault: CountersFault | undefined;
  /** Of what times out. */
  readonly isRunAllTheSame: boolean;
}

const FAULT = fc.constantFrom<(CountersFault | undefined)[]>(undefined, 'timeout', 'timeout', 'unavailable');

const STEPS: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    node: fc.nat({ max: NODES - 1 }),
    count: fc.constantFrom(1, 2, 12, 20),
    afterMs: fc.oneof(
      { weight: 8, arbitrary: fc.constant(0) },
      { weight: 4, arbitrary: fc.nat({ max: 300 }) },
      { weight: 1, arbitrary: fc.constantFrom(WINDOW_MS / 2, WINDOW_MS) },
    ),
    fault: FAULT,
    mergeFault: FAULT,
    isRunAllTheSame: fc.boolean(),
  }),
  { minLength: 5, maxLength: 40 },
);

interface Admitted {
  readonly atMs: number;
  readonly count: number;
}

/** The most that the limit itself and the shares of all nodes let pass in a time that begins with the first of these. */
function boundOf(limit: Limit, spanMs: number): number {
  const parts = { limit: shareOf(limit.limit, NODES), capacity: shareOf(capacityOf(limit), NODES) };
  if (!isBucket(limit.algorithm)) return limit.limit + NODES * parts.limit;
  const grown = (perWindow: number) => Math.ceil((perWindow * spanMs) / WINDOW_MS);
  // What a node is owed and what it is unsure of drain beside each other.
  return capacityOf(limit) + grown(limit.limit) + NODES * (parts.capacity + grown(parts.limit));
}

/** Those of one window: of a log, of any time of that length; of a bucket of any time at all. */
function windowsOf(limit: Limit, admitted: readonly Admitted[]): Admitted[][] {
  const { algorithm } = limit;
  if (algorithm === 'quota') return [[...admitted]];
  if (isBucket(algorithm))
    return admitted.flatMap((_, first) =>
      admitted.slice(first).map((_, last) => admitted.slice(first, first + last + 1)),
    );
  if (algorithm === 'sliding_log')
    return admitted.map(({ atMs: firstMs }, first) =>
      admitted.slice(first).filter(({ atMs }) => atMs < firstMs + WINDOW_MS),
    );
  return [...Map.groupBy(admitted, ({ atMs }) => Math.floor(atMs / WINDOW_MS)).values()];
}

function sumOf(admitted: readonly Admitted[]): number {
  return admitted.reduce((sum, { count }) => sum + count, 0);
}

describe('a store that hangs, goes away and answers again, as often as it likes', () => {
  for (const algorithm of setsOf(1).map(([name]) => name)) {
    it(`lets pass at most the limit and each node's share once in a window: ${algorithm}`, async () => {
      const property = fc.asyncProperty(fc.integer({ min: 1, max: 12 }), STEPS, async (limit, steps) => {
        const { time, store, nodes } = localHouse({ nodes: NODES });
        const set = setsOf(limit, WINDOW_MS).find(([name]) => name === algorithm)?.[1] as LimitSet;
        const admitted: Admitted[] = [];
        for (const { node, count, afterMs, fault, mergeFault, isRunAllTheSame } of steps) {
          Object.assign(store, { fault, mergeFault, isRunAllTheSame });
          await time.advance(afterMs);
          const asked = Array.from({ length: count }, () => nodes[node]?.check(checking(set)));
          const outcomes = await Promise.all(asked);
          const passed = outcomes.filter((outcome) => outcome?.admitted === true).length;
          if (passed > 0) admitted.push({ atMs: time.nowMs(), count: passed });
        }
        const only = set.limits[0] as Limit;
        for (const window of windowsOf(only, admitted)) {
          const spanMs = (window.at(-1)?.atMs ?? 0) - (window[0]?.atMs ?? 0);
          assert.ok(sumOf(window) <= boundOf(only, spanMs), `${sumOf(window)} passed in ${spanMs} ms`);
        }
      });
      await fc.assert(property, { numRuns: HISTORIES });
    });
  }
});
