import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { BrumeError } from '../../../src/errors/catalogue.ts';
import type { Clock } from '../../../src/limiter/clock.ts';
import type { CounterCheck, LimitSet } from '../../../src/limiter/counters.ts';
import { type Limit, WINDOW_ALGORITHMS } from '../../../src/limiter/limit.ts';
import { EmbeddedCounters } from '../../../src/stores/embedded/embedded-counters.ts';
import { goOnWith } from '../../../src/stores/embedded/open-embedded-counters.ts';
import { limitOf, quotaOf } from '../../support/counter-engines.ts';
import { MemoryCounterFile } from '../../support/memory-counter-file.ts';
import { RecordedLog } from '../../support/recorded-log.ts';
import { TwoClocks } from '../../support/two-clocks.ts';

/** `scripts/test-long` raises it. */
const HISTORIES = Number(process.env.BRUME_TEST_HISTORIES ?? 1500);

const KEYS = ['a'.repeat(22), 'b'.repeat(22)] as const;
const noTimers = { after: () => () => undefined };

interface Asked {
  readonly who: 0 | 1;
  readonly cost: number;
  readonly request: number;
  readonly takes: 'holder' | 'reservation' | 'nothing';
  readonly ttlMs: number;
}

type Step =
  | { readonly kind: 'checks'; readonly isAtomic: boolean; readonly checks: readonly Asked[] }
  | { readonly kind: 'pass' | 'step'; readonly byMs: number }
  | { readonly kind: 'lease' | 'settle'; readonly who: 0 | 1; readonly nth: number; readonly cost: number }
  | { readonly kind: 'reset'; readonly who: 0 | 1 }
  | { readonly kind: 'rule'; readonly set: LimitSet }
  | { readonly kind: 'flush' | 'restart' };

const WHO = fc.constantFrom<0 | 1>(0, 1);
const COST = fc.integer({ min: 0, max: 4 });

const LIMITS: fc.Arbitrary<Limit> = fc.oneof(
  fc
    .record({
      algorithm: fc.constantFrom(...WINDOW_ALGORITHMS),
      limit: fc.constantFrom(0, 2, 5, 12, 40),
      windowMs: fc.constantFrom(400, 1000, 60_000, 86_400_000),
      mode: fc.constantFrom('enforce', 'enforce', 'shadow'),
    })
    .map(limitOf),
  fc
    .record({
      limit: fc.integer({ min: 0, max: 12 }),
      period: fc.constantFrom('hour', 'day', 'month', 'never'),
    })
    .map(({ limit, period }) => quotaOf(limit, period)),
  fc
    .record({ limit: fc.integer({ min: 1, max: 4 }), ttlMs: fc.constantFrom(1000, 60_000) })
    .map(
      (numbers): Limit => ({ name: '', mode: 'enforce', algorithm: 'concurrency', identity: 0, ...numbers }),
    ),
);

const SETS: fc.Arbitrary<LimitSet> = fc.array(LIMITS, { minLength: 1, maxLength: 2 }).map((limits) => ({
  limits: limits
    .map((limit, index) => ({ ...limit, name: `limit-${index}` }))
    .filter(({ algorithm }, index, all) => {
      return algorithm !== 'concurrency' || all.findIndex((one) => one.algorithm === algorithm) === index;
    }),
}));

const CHECKS = fc.array(
  fc.record({
    who: WHO,
    cost: COST,
    request: fc.integer({ min: -4, max: 2 }),
    takes: fc.constantFrom<Asked['takes']>('holder', 'reservation', 'nothing', 'nothing', 'nothing'),
    ttlMs: fc.constantFrom(1000, 60_000),
  }),
  { minLength: 1, maxLength: 5 },
);

const PASSES_MS = [1, 1, 300, 300, 300, 999, 1000, 30_000, 30_000, 59_999, 60_000, 600_000, 86_400_000];
/** Those below a tenth of a second are not taken for steps. */
const STEPS_MS = [500, -500, 60_000, -60_000, 86_400_000, -86_400_000, -40 * 86_400_000];

const STEPS: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .record({ isAtomic: fc.boolean(), checks: CHECKS })
      .map((asked): Step => ({ kind: 'checks', ...asked })),
  },
  { weight: 4, arbitrary: fc.constantFrom(...PASSES_MS).map((byMs): Step => ({ kind: 'pass', byMs })) },
  { weight: 1, arbitrary: fc.constantFrom(...STEPS_MS).map((byMs): Step => ({ kind: 'step', byMs })) },
  {
    weight: 3,
    arbitrary: fc
      .record({
        kind: fc.constantFrom<'lease' | 'settle'>('lease', 'settle'),
        who: WHO,
        nth: fc.nat(9),
        cost: COST,
      })
      .map((call): Step => call),
  },
  { weight: 1, arbitrary: WHO.map((who): Step => ({ kind: 'reset', who })) },
  { weight: 1, arbitrary: SETS.map((set): Step => ({ kind: 'rule', set })) },
  { weight: 2, arbitrary: fc.constant<Step>({ kind: 'flush' }) },
  { weight: 2, arbitrary: fc.constant<Step>({ kind: 'restart' }) },
);

/** The same counters twice: those that live on, and those that are closed and opened. */
class Pair {
  readonly clocks = new TwoClocks();
  readonly file = new MemoryCounterFile();
  readonly #log = new RecordedLog();
  readonly steady = new EmbeddedCounters({ clock: this.clocks, identifiersMax: 100 });
  #restarted: EmbeddedCounters | undefined;
  #tokens: { readonly holders: string[]; readonly reservations: string[] } = {
    holders: [],
    reservations: [],
  };

  async both(): Promise<readonly [EmbeddedCounters, EmbeddedCounters]> {
    this.#restarted ??= await this.#open(this.clocks);
    return [this.steady, this.#restarted];
  }

  async restart(): Promise<void> {
    await this.#restarted?.close();
    this.#restarted = await this.#open(this.clocks.ofNextProcess());
    assert.deepEqual(
      this.#log.lines.filter((line) => !/^info|^warn: the clock of this host stepped/.test(line)),
      [],
    );
  }

  /** As every half second: a reset, also of nobody, takes the others along. */
  async flush(): Promise<void> {
    const [, restarted] = await this.both();
    await restarted.reset('nobody');
  }

  checkOf(set: LimitSet, { who, cost, request, takes, ttlMs }: Asked): CounterCheck {
    const { holders, reservations } = this.#tokens;
    const token = `t${holders.length + reservations.length}:${ttlMs}`;
    if (takes !== 'nothing') (takes === 'holder' ? holders : reservations).push(token);
    return {
      key: KEYS[who],
      set,
      cost,
      peek: false,
      ...(request < 0 ? {} : { requestKey: `r${request}` }),
      ...(takes === 'nothing' ? {} : { [takes]: token }),
    };
  }

  holder(nth: number): string {
    return this.#tokens.holders[nth % (this.#tokens.holders.length + 1)] ?? 'nobody:1000';
  }

  reservation(nth: number): string {
    return this.#tokens.reservations[nth % (this.#tokens.reservations.length + 1)] ?? 'nobody:1000';
  }

  #open(clock: Clock): Promise<EmbeddedCounters> {
    return goOnWith(this.file, { clock, timers: noTimers, log: this.#log, identifiersMax: 100 });
  }
}

async function answersOf(
  counters: EmbeddedCounters,
  step: Step,
  pair: Pair,
  checks: readonly CounterCheck[],
  set: LimitSet,
) {
  const codeOf = (error: unknown) => (error instanceof BrumeError ? error.code : Promise.reject(error));
  if (step.kind === 'checks') {
    return step.isAtomic
      ? counters.checkAtomically(checks).catch(codeOf)
      : Promise.all(checks.map((check) => counters.check(check).catch(codeOf)));
  }
  if (step.kind === 'reset') return counters.reset(KEYS[step.who]);
  if (step.kind === 'settle')
    return counters.settle({ key: KEYS[step.who], set, token: pair.reservation(step.nth), cost: step.cost });
  if (step.kind !== 'lease') return undefined;
  const { who, nth, cost } = step;
  const call = cost > 2 ? 'renewLease' : 'releaseLease';
  return [await counters[call](KEYS[who], pair.holder(nth)), await counters.listLeases(KEYS[who])];
}

describe('embedded counters that are closed and opened again', () => {
  it(`give the same verdicts as those that go on: ${HISTORIES} random histories`, async () => {
    const history = fc.record({
      first: SETS,
      steps: fc.array(STEPS, { minLength: 5, maxLength: 60, size: 'max' }),
    });
    const property = fc.asyncProperty(history, async ({ first, steps }) => {
      const pair = new Pair();
      let set = first;
      for (const step of steps) {
        if (step.kind === 'pass') pair.clocks.pass(step.byMs);
        else if (step.kind === 'step') pair.clocks.step(step.byMs);
        else if (step.kind === 'rule') set = step.set;
        else if (step.kind === 'restart') await pair.restart();
        else if (step.kind === 'flush') await pair.flush();
        else {
          const checks = step.kind === 'checks' ? step.checks.map((asked) => pair.checkOf(set, asked)) : [];
          const [steady, restarted] = await pair.both();
          const [expected, actual] = await Promise.all(
            [steady, restarted].map((counters) => answersOf(counters, step, pair, checks, set)),
          );
          assert.deepEqual(actual, expected);
        }
      }
    });
    await fc.assert(property, { numRuns: HISTORIES });
  });
});
