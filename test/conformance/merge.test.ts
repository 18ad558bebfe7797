import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type LimitState, modelOf } from '../../src/limiter/algorithms/models.ts';
import type { LimitSet } from '../../src/limiter/counters.ts';
import { type Algorithm, capacityOf } from '../../src/limiter/limit.ts';
import type { Merge, MergingCounters } from '../../src/limiter/merge.ts';
import { EmbeddedCounters } from '../../src/stores/embedded/embedded-counters.ts';
import { RedisCounters } from '../../src/stores/redis/redis-counters.ts';
import { stateKey } from '../../src/stores/redis/script-keys.ts';
import { type Engine, embeddedEngine, freshKey } from '../support/counter-engines.ts';
import { startRedisEngine } from '../support/redis-engine.ts';
import { MIXTURES, NEVER_IDS, setArbitrary } from './counters/histories.ts';

const HISTORIES = Number(process.env.BRUME_TEST_HISTORIES ?? 300);

type Step =
  | { readonly kind: 'check'; readonly cost: number; readonly takes: 'holder' | 'reservation' | undefined }
  | { readonly kind: 'time'; readonly byMs: number }
  | { readonly kind: 'rule'; readonly set: LimitSet }
  /** So much was counted elsewhere, so long ago. */
  | { readonly kind: 'merge'; readonly parts: readonly { readonly cost: number; readonly agoMs: number }[] };

function stepArbitrary(algorithms: readonly Algorithm[]): fc.Arbitrary<Step> {
  const cost = fc.oneof(
    { weight: 8, arbitrary: fc.integer({ min: 0, max: 4 }) },
    { weight: 1, arbitrary: fc.constantFrom(100, 9999, 2 ** 52, 2 ** 53 - 1) },
  );
  const ms = fc.oneof(
    fc.integer({ min: 0, max: 20 }),
    fc.constantFrom(999, 1000, 30_000, 59_999, 60_000, 86_400_000),
  );
  const byMs = fc.oneof({ weight: 5, arbitrary: ms }, { weight: 1, arbitrary: fc.constantFrom(-1, -60_000) });
  const agoMs = fc.oneof({ weight: 5, arbitrary: ms }, { weight: 1, arbitrary: fc.constant(-500) });
  return fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('check' as const),
        cost,
        takes: fc.constantFrom(undefined, undefined, 'holder' as const, 'reservation' as const),
      }),
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('time' as const), byMs }) },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('rule' as const), set: setArbitrary(algorithms) }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('merge' as const),
        parts: fc.array(fc.record({ cost, agoMs }), { minLength: 1, maxLength: 4 }),
      }),
    },
  );
}

/** What another node would have counted, by the models. */
function counted(
  set: LimitSet,
  parts: readonly { cost: number; agoMs: number }[],
  nowMs: number,
  name: string,
) {
  const states = new Map<string, LimitState>();
  const inOrder = [...parts].sort((a, b) => b.agoMs - a.agoMs);
  for (const limit of set.limits) {
    const model = modelOf(limit.algorithm);
    let state: LimitState | undefined;
    inOrder.forEach(({ cost, agoMs }, index) => {
      const atMs = nowMs - agoMs;
      const stood = model.stand(limit, state, atMs).state;
      if (limit.algorithm === 'concurrency')
        state = model.consume(limit, stood, 1, atMs, `${name}-${index}:60000`);
      else state = cost === 0 ? stood : model.charge(limit, stood, cost, atMs);
    });
    if (state !== undefined) states.set(limit.name, state);
  }
  return states;
}

function merging({ counters }: Engine): MergingCounters {
  assert.ok(counters instanceof EmbeddedCounters || counters instanceof RedisCounters);
  return counters;
}

describe('merging in Redis and in the reference model gives the same, and the checks after it too', () => {
  const { redis, server } = startRedisEngine();

  async function assertAgreement(first: LimitSet, steps: readonly Step[]): Promise<void> {
    const engines = [embeddedEngine(), redis()];
    const [embedded] = engines as [Engine];
    redis().clock.set(embedded.clock.nowMs());
    const keys = [freshKey(), freshKey()];
    let set = first;
    for (const [index, step] of steps.entries()) {
      if (step.kind === 'time') for (const { clock } of engines) clock.advance(step.byMs);
      else if (step.kind === 'rule') set = step.set;
      else {
        const [ours, theirs] = await Promise.all(
          engines.map((engine) =>
            step.kind === 'check'
              ? engine.counters.check({
                  key: keys[0] ?? '',
                  set,
                  cost: step.cost,
                  peek: false,
                  ...(step.takes !== undefined && { [step.takes]: `t${index}:60000` }),
                })
              : merging(engine).merge(
                  keys.map((key, nth): Merge => {
                    const nowMs = embedded.clock.nowMs();
                    return {
                      key,
                      set,
                      counted: counted(set, step.parts.slice(nth), nowMs, `m${index}-${nth}`),
                    };
                  }),
                ),
          ),
        );
        assert.deepEqual(theirs, ours);
      }
    }
  }

  for (const [title, algorithms] of MIXTURES) {
    it(`${title}: ${HISTORIES} random histories`, async () => {
      const history = fc.tuple(
        setArbitrary(algorithms),
        fc.array(stepArbitrary(algorithms), { minLength: 2, maxLength: 20 }),
      );
      await fc.assert(
        fc.asyncProperty(history, ([first, steps]) => assertAgreement(first, steps)),
        { numRuns: HISTORIES },
      );
    });
  }

  it('leaves no key without a time to live, but for quotas that never end', async () => {
    for (const key of await server().client.keys('*')) {
      if ((await server().client.pttl(key)) > 0) continue;
      const state = (await server().client.get(key.replace(/:reservations$/, ''))) ?? '';
      assert.ok(
        NEVER_IDS.some((id) => state.includes(`:q:${id}:`)),
        `${key} never ends: ${state}`,
      );
    }
  });

  it('state that is damaged is removed, and what is merged counts on nothing', async () => {
    const limit = { name: 'a', mode: 'enforce', algorithm: 'fixed_window', limit: 10 } as const;
    const set = { limits: [{ ...limit, windowMs: 60_000, identity: 60_000, burst: 10 }] };
    for (const damage of ['rubbish', '1 a:f:60000:rubbish:1']) {
      const [key, other] = [freshKey(), freshKey()];
      await server().client.set(stateKey(key), damage);
      const merge = { set, counted: counted(set, [{ cost: 3, agoMs: 0 }], redis().clock.nowMs(), 'm') };
      const answers = await merging(redis()).merge([
        { key, ...merge },
        { key: other, ...merge },
      ]);
      assert.deepEqual(
        answers.map((answer) => (answer instanceof Error ? answer : answer.limits[0]?.remaining)),
        [7, 7],
      );
    }
  });

  it('charges beyond the limit: what was admitted elsewhere counts, whatever the limit', async () => {
    const engines = [embeddedEngine(), redis()];
    for (const engine of engines) {
      const limit = { name: 'a', mode: 'enforce', algorithm: 'fixed_window', limit: 100 } as const;
      const set = { limits: [{ ...limit, windowMs: 60_000, identity: 60_000, burst: 100 }] };
      const [only] = set.limits as [(typeof set.limits)[0]];
      const key = freshKey();
      await engine.counters.check({ key, set, cost: 60, peek: false });
      const parts = [{ cost: capacityOf(only), agoMs: 0 }];
      const nowMs = engine.clock.nowMs();
      await merging(engine).merge([{ key, set, counted: counted(set, parts, nowMs, 'm') }]);
      // Raised to 161: one is left.
      const raised = { limits: [{ ...only, limit: 161 }] };
      const outcomes = [];
      for (let n = 0; n < 2; n++)
        outcomes.push((await engine.counters.check({ key, set: raised, cost: 1, peek: false })).admitted);
      assert.deepEqual(outcomes, [true, false]);
    }
  });
});
