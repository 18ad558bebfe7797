import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { LimitSet } from '../../src/limiter/counters.ts';
import type { Held } from '../../src/limiter/held.ts';
import {
  capacityOf,
  isBucket,
  type WindowLimit as Limit,
  WINDOW_ALGORITHMS,
} from '../../src/limiter/limit.ts';
import { decide } from '../../src/limiter/plan.ts';

/** What the contract promises of every verdict, whatever the algorithm: judged from the outside. */

const START_MS = 1_800_000_000_000;

const limitArbitrary: fc.Arbitrary<Limit> = fc
  .record({
    algorithm: fc.constantFrom(...WINDOW_ALGORITHMS),
    limit: fc.integer({ min: 1, max: 20 }),
    windowMs: fc.constantFrom(1, 3, 10, 999, 1000, 60_000),
    burst: fc.integer({ min: 1, max: 20 }),
  })
  .map(({ burst, ...limit }) => ({
    name: 'only',
    mode: 'enforce',
    identity: limit.windowMs,
    ...limit,
    burst: isBucket(limit.algorithm) ? burst : limit.limit,
  }));

/** Gaps and costs of an identifier's checks; time only goes forward here. */
const arrivalsArbitrary = fc.array(
  fc.record({
    gapMs: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 30_000 })),
    cost: fc.integer({ min: 0, max: 5 }),
  }),
  { minLength: 1, maxLength: 40 },
);

interface Moment {
  readonly nowMs: number;
  readonly cost: number;
  readonly held: Held | undefined;
  readonly admitted: boolean;
}

/** Judges the arrivals and hands each moment, with a copy of the state after it, to `look`. */
function replay(
  set: LimitSet,
  arrivals: readonly { gapMs: number; cost: number }[],
  look: (moment: Moment) => void,
): void {
  let held: Held | undefined;
  let nowMs = START_MS;
  for (const { gapMs, cost } of arrivals) {
    nowMs += gapMs;
    const decision = decide(set, structuredClone(held), { cost, peek: false }, nowMs);
    held = decision.held ?? held;
    look({ nowMs, cost, held, admitted: decision.outcome.admitted });
  }
}

function peek(set: LimitSet, held: Held | undefined, cost: number, nowMs: number) {
  const [only] = decide(set, structuredClone(held), { cost, peek: true }, nowMs).outcome.limits;
  assert.ok(only);
  return only;
}

function holdsForAll(look: (limit: Limit, set: LimitSet, moment: Moment) => void): void {
  fc.assert(
    fc.property(limitArbitrary, arrivalsArbitrary, (limit, arrivals) => {
      const set = { limits: [limit] };
      replay(set, arrivals, (moment) => look(limit, set, moment));
    }),
    { numRuns: 1000 },
  );
}

describe('every algorithm keeps the promises of a verdict', () => {
  it('retryAtMs is the first moment at which the same check passes', () => {
    holdsForAll((limit, set, { held, nowMs }) => {
      for (const cost of [1, capacityOf(limit)]) {
        const { admits, retryAtMs } = peek(set, held, cost, nowMs);
        if (admits) continue;
        assert.ok(retryAtMs > nowMs);
        assert.equal(peek(set, held, cost, retryAtMs).admits, true, 'passes then');
        assert.equal(
          peek(set, held, cost, retryAtMs - 1).admits,
          false,
          'does not pass a millisecond sooner',
        );
      }
    });
  });

  it('resetMs is the first moment at which the limit is whole', () => {
    holdsForAll((limit, set, { held, nowMs }) => {
      const { resetMs } = peek(set, held, 1, nowMs);
      assert.equal(peek(set, held, 1, resetMs).remaining, capacityOf(limit));
      assert.equal(peek(set, held, 1, resetMs).resetMs, resetMs, 'whole, so nothing is left to wait for');
      if (resetMs > nowMs) assert.ok(peek(set, held, 1, resetMs - 1).resetMs >= resetMs);
    });
  });

  it('remaining is how many checks of cost 1 pass now', () => {
    holdsForAll((_limit, set, { held, nowMs }) => {
      const { remaining } = peek(set, held, 1, nowMs);
      let passed = 0;
      let state = structuredClone(held);
      while (true) {
        const decision = decide(set, state, { cost: 1, peek: false }, nowMs);
        if (!decision.outcome.admitted) break;
        passed++;
        state = decision.held;
      }
      assert.equal(passed, remaining);
    });
  });

  it('growsAtMs is the first moment at which remaining is larger', () => {
    holdsForAll((limit, set, { held, nowMs }) => {
      const { remaining, growsAtMs } = peek(set, held, 1, nowMs);
      if (remaining === capacityOf(limit)) return assert.equal(growsAtMs, 0);
      assert.ok(peek(set, held, 1, growsAtMs).remaining > remaining);
      assert.equal(peek(set, held, 1, growsAtMs - 1).remaining, remaining);
    });
  });

  it('no more than the limit passes in any window (sliding_window: twice), or than burst and rate allow', () => {
    fc.assert(
      fc.property(limitArbitrary, arrivalsArbitrary, (limit, arrivals) => {
        const passed: { nowMs: number; cost: number }[] = [];
        replay({ limits: [limit] }, arrivals, ({ nowMs, cost, admitted }) => {
          if (admitted) passed.push({ nowMs, cost });
        });
        for (const [index, { nowMs }] of passed.entries()) {
          assert.ok(mostIn(limit, passed.slice(index), nowMs), JSON.stringify(passed));
        }
      }),
      { numRuns: 1000 },
    );
  });
});

/** The bound that the algorithm promises for what passes from `fromMs` on. */
function mostIn(limit: Limit, passed: readonly { nowMs: number; cost: number }[], fromMs: number): boolean {
  if (isBucket(limit.algorithm)) {
    let sum = 0;
    return passed.every(({ nowMs, cost }) => {
      sum += cost;
      return sum * limit.windowMs <= limit.burst * limit.windowMs + (nowMs - fromMs) * limit.limit;
    });
  }
  const startMs = limit.algorithm === 'fixed_window' ? fromMs - (fromMs % limit.windowMs) : fromMs;
  const sum = passed
    .filter(({ nowMs }) => nowMs < startMs + limit.windowMs)
    .reduce((total, { cost }) => total + cost, 0);
  // What came unevenly in the window before is taken to have come evenly.
  return sum <= limit.limit * (limit.algorithm === 'sliding_window' ? 2 : 1);
}
