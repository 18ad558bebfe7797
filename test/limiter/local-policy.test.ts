import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Check } from '../../src/limiter/check.ts';
import type { CountersError, LimitSet } from '../../src/limiter/counters.ts';
import type { FailurePolicy } from '../../src/limiter/degradation.ts';
import type { Exception } from '../../src/limiter/exceptions.ts';
import { ENDLESS, NO_EXCEPTIONS } from '../../src/limiter/exceptions.ts';
import { identifierKeyer } from '../../src/limiter/identifier-key.ts';
import { createLimiter } from '../../src/limiter/limiter.ts';
import { UNWATCHED } from '../../src/limiter/limiter-watch.ts';
import { quotaOf, setOf } from '../support/counter-engines.ts';
import { localHouse, placesOf } from '../support/local-house.ts';

const MINUTE_MS = 60_000;
const TEN = setOf({ algorithm: 'sliding_log', limit: 10, windowMs: MINUTE_MS });

function house(options: Parameters<typeof localHouse>[0] = {}, exception?: Exception) {
  const { node, store, time } = localHouse(options);
  const faults: CountersError[] = [];
  const watched: boolean[] = [];
  const limiter = createLimiter({
    counters: node,
    identifierKey: identifierKeyer(new Uint8Array(32)),
    onDegraded: (_check, error) => faults.push(error),
    exceptions: { ...NO_EXCEPTIONS, find: () => exception },
    watch: { ...UNWATCHED, onVerdict: (_check, { success }) => watched.push(success) },
  });
  return { limiter, store, time, faults, watched };
}

function asking(
  { limits }: LimitSet,
  overrides: Partial<Check> = {},
  onStoreFailure: FailurePolicy = 'local',
): Check {
  const rule = { limits, onStoreFailure };
  const namespace = { id: 'ns_1', projectId: 'prj_1', name: 'api', rule };
  return { namespace, identifier: 'alice', cost: 1, peek: false, ...overrides };
}

describe('a namespace whose policy is local', () => {
  it("shows the rule's limit, and what this node still admits of it, degraded", async () => {
    const { limiter, store, time, faults } = house();
    store.fault = 'unavailable';
    const { success, limit, remaining, reset, reason, degraded, limits } = await limiter.judge(asking(TEN));
    assert.deepEqual(
      { success, limit, remaining, reset, reason, degraded },
      {
        success: true,
        limit: 10,
        remaining: 9,
        reset: time.nowMs() + MINUTE_MS,
        reason: null,
        degraded: true,
      },
    );
    assert.equal(limits.length, 1);
    assert.deepEqual(
      faults.map(({ fault }) => fault),
      ['unavailable'],
    );
  });

  it('denies for the reason that the store would give', async () => {
    const { limiter, store } = house();
    store.fault = 'unavailable';
    const limited = asking(TEN, { cost: 10 });
    await limiter.judge(limited);
    const denied = await limiter.judge(asking(TEN));
    assert.deepEqual([denied.success, denied.reason, denied.retryAfter], [false, 'limit', 60]);
    const quota = asking(setOf(quotaOf(0, 'day')), { identifier: 'bob' });
    assert.equal((await limiter.judge(quota)).reason, 'quota');
    assert.equal((await limiter.judge(asking(TEN, { cost: 11 }))).reason, 'impossible');
  });

  it('a cost that fits the limit but no share of it is denied without a time to come back', async () => {
    const { limiter, store } = house({ nodes: 2 });
    store.fault = 'unavailable';
    const { success, reason, retryAfter } = await limiter.judge(asking(TEN, { cost: 6 }));
    assert.deepEqual([success, reason, retryAfter], [false, 'limit', null]);
  });

  it('denies those that there is no room for, as nobody counts them', async () => {
    const { limiter, store, faults } = house({ identifiersMax: 1 });
    store.fault = 'unavailable';
    await limiter.judge(asking(TEN));
    const { success, reason, limit, degraded } = await limiter.judge(asking(TEN, { identifier: 'bob' }));
    assert.deepEqual([success, reason, limit, degraded], [false, 'store_unavailable', null, true]);
    assert.equal(faults.at(-1)?.fault, 'full');
  });

  it('blocks, exemptions and overrides hold as ever', async () => {
    const untilMs = ENDLESS;
    const judged = async (exception: Exception) => {
      const { limiter, store } = house({}, exception);
      store.fault = 'unavailable';
      const verdicts = [await limiter.judge(asking(TEN)), await limiter.judge(asking(TEN))];
      assert.ok(verdicts.every(({ degraded }) => degraded));
      return verdicts.map(({ success, reason }) => [success, reason]);
    };
    const one = setOf({ algorithm: 'sliding_log', limit: 1, windowMs: MINUTE_MS });
    assert.deepEqual(await judged({ effect: 'block', untilMs }), [
      [false, 'blocked'],
      [false, 'blocked'],
    ]);
    assert.deepEqual(await judged({ effect: 'exempt', untilMs }), [
      [true, 'exempt'],
      [true, 'exempt'],
    ]);
    assert.deepEqual(await judged({ effect: 'replace', untilMs, set: one }), [
      [true, null],
      [false, 'limit'],
    ]);
  });

  it('an exempt check of an atomic batch that this node judged is told as degraded, too', async () => {
    const { limiter, store } = house({}, { effect: 'exempt', untilMs: ENDLESS });
    store.fault = 'unavailable';
    const verdicts = await limiter.judgeAtomically([asking(TEN), asking(TEN)]);
    assert.deepEqual(
      verdicts.map(({ success, degraded }) => [success, degraded]),
      [
        [true, true],
        [true, true],
      ],
    );
  });

  for (const policies of [
    ['open', 'local'],
    ['closed', 'open'],
    ['local', 'open', 'closed'],
  ] as const) {
    it(`an atomic batch is all or nothing also where it is guessed: ${policies.join(' and ')}`, async () => {
      const { limiter, store, faults, watched } = house();
      const batch = policies.map((policy) => asking(TEN, { identifier: policy }, policy));
      for (const fault of ['unavailable', 'timeout'] as const) {
        store.fault = fault;
        const verdicts = await limiter.judgeAtomically(batch);
        assert.deepEqual(
          verdicts.map(({ success, reason, degraded }) => [success, reason, degraded]),
          policies.map((policy) => [false, policy === 'open' ? null : 'store_unavailable', true]),
        );
      }
      assert.deepEqual(new Set(watched), new Set([false]), 'and is counted as it is answered');
      assert.equal(faults.length, 2 * policies.length);
      assert.ok((await limiter.judge(asking(TEN, { identifier: 'open' }, 'open'))).success);
    });
  }

  it('an atomic batch of which all policies allow passes', async () => {
    const { limiter, store } = house();
    store.fault = 'unavailable';
    const verdicts = await limiter.judgeAtomically([asking(TEN, {}, 'open'), asking(TEN, {}, 'open')]);
    assert.ok(verdicts.every(({ success, degraded }) => success && degraded));
  });

  it('remembers no request ids: a retry is another check', async () => {
    const { limiter, store } = house();
    store.fault = 'unavailable';
    const check = asking(TEN, { requestId: 'order-1' });
    await limiter.judge(check);
    assert.equal((await limiter.judge(check)).remaining, 8);
  });

  it('counts a reservation as it is estimated, and gives nothing to settle', async () => {
    const { limiter, store } = house();
    store.fault = 'unavailable';
    const { verdict, granted } = await limiter.reserve(asking(TEN, { cost: 4 }), 60_000);
    assert.deepEqual([verdict.success, verdict.remaining, verdict.degraded, granted], [true, 6, true, null]);
  });

  it('gives leases of its share, which are renewed and released here', async () => {
    const { limiter, store } = house();
    store.fault = 'unavailable';
    const check = asking(placesOf(1));
    const first = await limiter.acquire(check);
    assert.ok(first.verdict.success && first.verdict.degraded && first.granted !== null);
    assert.equal((await limiter.acquire(check)).granted, null);
    await limiter.renew('prj_1', first.granted.id);
    await limiter.release('prj_1', first.granted.id);
    assert.ok((await limiter.acquire(check)).granted !== null);
  });
});
