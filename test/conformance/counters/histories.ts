import assert from 'node:assert/strict';
import fc from 'fast-check';
import { BrumeError } from '../../../src/errors/catalogue.ts';
import { Calendar, PERIODS } from '../../../src/limiter/calendar.ts';
import type { CounterCheck, Counters, LimitSet } from '../../../src/limiter/counters.ts';
import {
  type Algorithm,
  BUCKET_UNITS_MAX,
  isBucket,
  type Limit,
  type Mode,
  WINDOW_ALGORITHMS,
  type WindowAlgorithm,
} from '../../../src/limiter/limit.ts';
import { type Engine, freshKey } from '../../support/counter-engines.ts';

interface Asked {
  readonly who: number;
  readonly cost: number;
  readonly peek: boolean;
  readonly request: number | undefined;
  /** A place that is acquired or a cost that is reserved, and its time to live. */
  readonly takes: { readonly what: 'holder' | 'reservation'; readonly ttlMs: number } | undefined;
}

type Step =
  | { readonly kind: 'checks'; readonly isAtomic: boolean; readonly checks: readonly Asked[] }
  | { readonly kind: 'reset'; readonly who: number }
  | {
      readonly kind: 'lease';
      readonly call: 'renew' | 'release';
      readonly who: number;
      readonly nth: number;
    }
  | { readonly kind: 'settle'; readonly nth: number; readonly cost: number }
  | { readonly kind: 'time'; readonly byMs: number }
  | { readonly kind: 'rule'; readonly set: LimitSet };

export const ALL: readonly Algorithm[] = [...WINDOW_ALGORITHMS, 'quota', 'concurrency'];

/** Titles of groups of histories, and of which algorithms their rules are made. */
export const MIXTURES: readonly (readonly [string, readonly Algorithm[]])[] = [
  ...ALL.map((algorithm) => [algorithm, [algorithm]] as const),
  ['rules of several limits and algorithms', ALL],
];

const WINDOWS_MS = [1, 7, 1000, 60_000, 86_400_000, 366 * 86_400_000];

/** Numbers that are small, at an edge, or as large as the algorithm takes. */
function windowArbitrary(algorithm: WindowAlgorithm, name: string): fc.Arbitrary<Limit> {
  const large =
    algorithm === 'sliding_log' ? fc.constantFrom(100, 10_000) : fc.constantFrom(1000, 2 ** 31, 2 ** 53 - 1);
  return fc
    .record({
      limit: fc.oneof({ weight: 5, arbitrary: SMALL }, { weight: 1, arbitrary: large }),
      windowMs: fc.constantFrom(...WINDOWS_MS),
      burst: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constantFrom(1000, 142_000)),
      mode: MODE,
    })
    .map(({ limit, windowMs, burst, mode }) => ({
      name,
      algorithm,
      mode,
      identity: windowMs,
      limit:
        algorithm === 'sliding_window' ? Math.min(limit, Math.floor(BUCKET_UNITS_MAX / windowMs)) : limit,
      windowMs,
      burst: isBucket(algorithm) ? burst : Math.max(1, limit),
    }));
}

const SMALL = fc.integer({ min: 0, max: 12 });
const MODE = fc.oneof(
  { weight: 5, arbitrary: fc.constant<Mode>('enforce') },
  { weight: 1, arbitrary: fc.constant<Mode>('shadow') },
);

function quotaArbitrary(name: string): fc.Arbitrary<Limit> {
  return fc
    .record({
      limit: fc.oneof({ weight: 5, arbitrary: SMALL }, { weight: 1, arbitrary: fc.constant(2 ** 53 - 1) }),
      calendar: fc.constantFrom(...CALENDARS),
      mode: MODE,
    })
    .map(({ limit, calendar, mode }) => ({
      name,
      algorithm: 'quota',
      mode,
      limit,
      calendar,
      identity: calendar.id,
    }));
}

const ANCHOR = { minute: 0, weekday: 1, day: 1, month: 1 };
const CALENDARS = PERIODS.flatMap((period) =>
  [
    { period, timeZone: 'UTC', anchor: ANCHOR },
    { period, timeZone: 'America/New_York', anchor: { minute: 59, weekday: 7, day: 31, month: 2 } },
  ].map((spec) => new Calendar(spec)),
);

/** Of quotas that never end. */
export const NEVER_IDS = CALENDARS.filter(({ spec }) => spec.period === 'never').map(({ id }) => id);

function concurrencyArbitrary(name: string): fc.Arbitrary<Limit> {
  return fc
    .record({
      limit: fc.integer({ min: 0, max: 4 }),
      ttlMs: fc.constantFrom(1000, 60_000, 86_400_000),
      mode: MODE,
    })
    .map((numbers) => ({ name, algorithm: 'concurrency', identity: 0, ...numbers }));
}

function limitArbitrary(algorithm: Algorithm, name: string): fc.Arbitrary<Limit> {
  if (algorithm === 'concurrency') return concurrencyArbitrary(name);
  return algorithm === 'quota' ? quotaArbitrary(name) : windowArbitrary(algorithm, name);
}

/** A rule has at most one limit of concurrency. */
function isFirstOfItsPlaces({ algorithm }: Limit, index: number, limits: readonly Limit[]): boolean {
  return algorithm !== 'concurrency' || limits.findIndex((other) => other.algorithm === algorithm) === index;
}

export function setArbitrary(algorithms: readonly Algorithm[]): fc.Arbitrary<LimitSet> {
  const limits = ['a', 'b', 'c'].map((name) =>
    fc.constantFrom(...algorithms).chain((algorithm) => limitArbitrary(algorithm, name)),
  );
  return fc
    .tuple(...limits)
    .chain((all) => fc.shuffledSubarray(all, { minLength: 1 }))
    .map((chosen) => ({ limits: chosen.filter(isFirstOfItsPlaces) }));
}

/** A rule, and what happens to two identifiers under it and others. */
export interface History {
  readonly first: LimitSet;
  readonly steps: readonly Step[];
}

export function historyArbitrary(algorithms: readonly Algorithm[]): fc.Arbitrary<History> {
  const cost = fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 0, max: 4 }) },
    { weight: 1, arbitrary: fc.constantFrom(13, 100, 9999, 10_000, 2 ** 52, 2 ** 53 - 1) },
  );
  const check = fc.record({
    who: fc.integer({ min: 0, max: 1 }),
    cost,
    peek: fc.boolean(),
    takes: fc.option(
      fc.record({
        what: fc.constantFrom('holder', 'reservation'),
        ttlMs: fc.constantFrom(1000, 60_000, 86_400_000),
      }),
      { nil: undefined, freq: 2 },
    ),
    request: fc.option(fc.integer({ min: 0, max: 2 }), { nil: undefined, freq: 3 }),
  });
  const checks = fc.array(check, { minLength: 1, maxLength: 6 });
  const byMs = fc.oneof(
    fc.integer({ min: 0, max: 20 }),
    fc.constantFrom(1, 999, 1000, 30_000, 59_999, 60_000, 600_000, 86_400_000, 400 * 86_400_000),
    fc.constantFrom(-1, -500, -60_000, -86_400_000, -400 * 86_400_000),
  );
  const step: fc.Arbitrary<Step> = fc.oneof(
    {
      weight: 6,
      arbitrary: fc
        .record({ isAtomic: fc.boolean(), checks })
        .map((asked): Step => ({ kind: 'checks', ...asked })),
    },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 1 }).map((who): Step => ({ kind: 'reset', who })) },
    {
      weight: 2,
      arbitrary: fc
        .record({
          call: fc.constantFrom('renew', 'release'),
          who: fc.integer({ min: 0, max: 1 }),
          nth: fc.nat({ max: 20 }),
        })
        .map((call): Step => ({ kind: 'lease', ...call })),
    },
    {
      weight: 2,
      arbitrary: fc
        .record({ nth: fc.nat({ max: 20 }), cost })
        .map((settling): Step => ({ kind: 'settle', ...settling })),
    },
    { weight: 4, arbitrary: byMs.map((ms): Step => ({ kind: 'time', byMs: ms })) },
    { weight: 1, arbitrary: setArbitrary(algorithms).map((set): Step => ({ kind: 'rule', set })) },
  );
  return fc.record({
    first: setArbitrary(algorithms),
    steps: fc.array(step, { minLength: 1, maxLength: 25 }),
  });
}

/** Plays a history on both and asserts that they give the same outcome, field by field. */
export async function assertAgreement(
  { first, steps }: History,
  embedded: Engine,
  redis: Engine,
  onStep: (index: number) => Promise<void> = async () => undefined,
): Promise<void> {
  redis.clock.set(embedded.clock.nowMs());
  const keys = [freshKey(), freshKey()];
  const requests = keys.map(() => [freshKey(), freshKey(), freshKey()]);
  const holders: string[] = [];
  const reservations: { readonly who: number; readonly token: string }[] = [];
  const newToken = (who: number, { what, ttlMs }: NonNullable<Asked['takes']>) => {
    const token = `t${holders.length + reservations.length}:${ttlMs}`;
    if (what === 'holder') holders.push(token);
    else reservations.push({ who, token });
    return token;
  };
  let set = first;
  for (const [index, step] of steps.entries()) {
    await onStep(index);
    if (step.kind === 'time') {
      embedded.clock.advance(step.byMs);
      redis.clock.advance(step.byMs);
    } else if (step.kind === 'settle') {
      const { who = 0, token = 'nobody:1000' } = reservations[step.nth % (reservations.length + 1)] ?? {};
      const [ours, theirs] = await Promise.all(
        [embedded, redis].map(({ counters }) =>
          counters.settle({ key: keys[who] ?? '', set, token, cost: step.cost }),
        ),
      );
      assert.deepEqual(theirs, ours);
    } else if (step.kind === 'lease') {
      const key = keys[step.who] ?? '';
      const holder = holders[step.nth % (holders.length + 1)] ?? 'nobody:1000';
      const [ours, theirs] = await Promise.all(
        [embedded, redis].map(async ({ counters }) => [
          await (step.call === 'renew'
            ? counters.renewLease(key, holder)
            : counters.releaseLease(key, holder)),
          await counters.listLeases(key),
        ]),
      );
      assert.deepEqual(theirs, ours);
    } else if (step.kind === 'reset') {
      for (const { counters } of [embedded, redis]) await counters.reset(keys[step.who] ?? '');
    } else if (step.kind === 'rule') {
      set = step.set;
    } else {
      const asked = step.checks.map(({ who, request, takes, ...check }) => ({
        ...check,
        set,
        key: keys[who] ?? '',
        ...(takes === undefined ? {} : { [takes.what]: newToken(who, takes) }),
        ...(request === undefined ? {} : { requestKey: requests[who]?.[request] ?? '' }),
      }));
      const [ours, theirs] = await Promise.all(
        [embedded, redis].map(({ counters }) => answersOf(counters, asked, step.isAtomic)),
      );
      assert.deepEqual(theirs, ours);
    }
  }
}

/** Asked together, in one script call, in which an identifier may occur several times. */
async function answersOf(
  counters: Counters,
  asked: readonly CounterCheck[],
  isAtomic: boolean,
): Promise<unknown> {
  const codeOf = (error: unknown) => (error instanceof BrumeError ? error.code : Promise.reject(error));
  if (isAtomic) return counters.checkAtomically(asked).catch(codeOf);
  return Promise.all(asked.map((check) => counters.check(check).catch(codeOf)));
}
