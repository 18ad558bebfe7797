import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Check } from '../../src/limiter/check.ts';
import { type Counters, CountersError } from '../../src/limiter/counters.ts';
import type { FailurePolicy } from '../../src/limiter/degradation.ts';
import { identifierKeyer } from '../../src/limiter/identifier-key.ts';
import { createLimiter } from '../../src/limiter/limiter.ts';
import { EmbeddedCounters } from '../../src/stores/embedded/embedded-counters.ts';
import { limitOf, ManualClock } from '../support/counter-engines.ts';

type Limits = Parameters<typeof limitOf>[0][];

const identifierKey = identifierKeyer(new Uint8Array(32));

function limiterOn(counters: Counters) {
  const degraded: CountersError[] = [];
  const limiter = createLimiter({
    counters,
    identifierKey,
    onDegraded: (_check, error) => degraded.push(error),
  });
  return { limiter, degraded };
}

function asking(
  limits: Limits,
  overrides: Partial<Check> = {},
  onStoreFailure: FailurePolicy = 'open',
): Check {
  const rule = { limits: limits.map(limitOf), onStoreFailure };
  const namespace = { id: 'ns_1', projectId: 'prj_1', name: 'api', rule };
  return { namespace, identifier: 'alice', cost: 1, peek: false, ...overrides };
}

function embedded() {
  const clock = new ManualClock();
  return { clock, ...limiterOn(new EmbeddedCounters({ clock, identifiersMax: 100 })) };
}

const MINUTE_MS = 60_000;
const WIDE = { name: 'wide', algorithm: 'fixed_window', limit: 100, windowMs: MINUTE_MS } as const;
const NARROW = { name: 'narrow', algorithm: 'gcra', limit: 2, windowMs: MINUTE_MS } as const;

describe('a verdict', () => {
  it('has the shape of the contract when it allows', async () => {
    const { limiter, clock } = embedded();
    assert.deepEqual(await limiter.judge(asking([NARROW])), {
      success: true,
      namespace: 'api',
      identifier: 'alice',
      limit: 2,
      remaining: 1,
      reset: clock.nowMs() + 30_000,
      retryAfter: null,
      delayMs: 0,
      reason: null,
      degraded: false,
      limits: [
        {
          name: 'narrow',
          algorithm: 'gcra',
          success: true,
          limit: 2,
          windowMs: MINUTE_MS,
          period: null,
          quota: 2,
          remaining: 1,
          reset: clock.nowMs() + 30_000,
          retryAfter: null,
          growsAfter: 30,
        },
      ],
      shadow: [],
      requestId: null,
    });
  });

  it('shows the tightest limit: the smallest remaining when it allows', async () => {
    const { limiter } = embedded();
    const { limit, remaining } = await limiter.judge(asking([WIDE, NARROW]));
    assert.deepEqual([limit, remaining], [2, 1]);
  });

  it('shows the latest reset among equally tight limits', async () => {
    const { limiter, clock } = embedded();
    const hour = { name: 'hour', algorithm: 'sliding_log', limit: 2, windowMs: 60 * MINUTE_MS } as const;
    assert.equal((await limiter.judge(asking([NARROW, hour]))).reset, clock.nowMs() + 60 * MINUTE_MS);
  });

  it('shows the denying limit with the latest retry when it denies, and charges none', async () => {
    const { limiter } = embedded();
    const slow = { name: 'slow', algorithm: 'sliding_log', limit: 2, windowMs: 10 * MINUTE_MS } as const;
    const check = asking([WIDE, NARROW, slow]);
    await limiter.judge(check);
    await limiter.judge(check);
    const denied = await limiter.judge(check);
    assert.deepEqual(
      [denied.success, denied.reason, denied.limit, denied.retryAfter],
      [false, 'limit', 2, 600],
    );
    assert.deepEqual(
      denied.limits.map(({ success }) => success),
      [true, false, false],
    );
    assert.deepEqual(
      denied.limits.map(({ remaining }) => remaining),
      [98, 0, 0],
    );
    assert.deepEqual(
      denied.limits.map(({ retryAfter }) => retryAfter),
      [null, 30, 600],
    );
  });

  it('names a cost that can never pass `impossible`, without a time to come back', async () => {
    const { limiter } = embedded();
    const denied = await limiter.judge(asking([WIDE, NARROW], { cost: 3 }));
    assert.deepEqual([denied.success, denied.reason, denied.retryAfter], [false, 'impossible', null]);
  });

  it('of a limit of 0 has the reason `limit`, no reset and no time to come back', async () => {
    const { limiter } = embedded();
    const { reason, retryAfter, reset, remaining } = await limiter.judge(asking([{ ...WIDE, limit: 0 }]));
    assert.deepEqual(
      { reason, retryAfter, reset, remaining },
      { reason: 'limit', retryAfter: null, reset: null, remaining: 0 },
    );
  });

  it('rounds Retry-After up to whole seconds, and to 1 at least', async () => {
    const { limiter, clock } = embedded();
    const check = asking([{ name: 'brief', algorithm: 'sliding_log', limit: 1, windowMs: 1500 }]);
    await limiter.judge(check);
    assert.equal((await limiter.judge(check)).retryAfter, 2);
    clock.advance(1499);
    assert.equal((await limiter.judge(check)).retryAfter, 1);
    clock.advance(1);
    assert.equal((await limiter.judge(check)).success, true);
  });

  it('keeps identifiers and namespaces apart', async () => {
    const { limiter } = embedded();
    const once = [{ ...WIDE, limit: 1 }];
    const other = asking(once);
    assert.equal((await limiter.judge(asking(once))).success, true);
    assert.equal((await limiter.judge(asking(once))).success, false);
    assert.equal((await limiter.judge(asking(once, { identifier: 'bob' }))).success, true);
    const namespace = { ...other.namespace, id: 'ns_2' };
    assert.equal((await limiter.judge({ ...other, namespace })).success, true);
  });
});

describe('when the store gives no answer', () => {
  const failing = (error: Error): Counters => ({
    check: () => Promise.reject(error),
    checkAtomically: () => Promise.reject(error),
    reset: () => Promise.reject(error),
    settle: () => Promise.reject(error),
    renewLease: () => Promise.reject(error),
    releaseLease: () => Promise.reject(error),
    listLeases: () => Promise.reject(error),
    announce: () => Promise.reject(error),
    nowMs: () => 0,
    ping: async () => false,
    close: async () => undefined,
  });

  for (const [policy, success, reason] of [
    ['open', true, null],
    ['closed', false, 'store_unavailable'],
  ] as const) {
    it(`the policy ${policy} decides, visibly, with everything unknown null`, async () => {
      const { limiter, degraded } = limiterOn(failing(new CountersError('timeout', 'too slow')));
      const verdict = await limiter.judge(asking([WIDE], {}, policy));
      assert.deepEqual(
        [
          verdict.success,
          verdict.reason,
          verdict.degraded,
          verdict.limit,
          verdict.remaining,
          verdict.reset,
          verdict.retryAfter,
        ],
        [success, reason, true, null, null, null, null],
      );
      assert.deepEqual(
        degraded.map(({ fault }) => fault),
        ['timeout'],
      );
    });
  }

  it('B16: a limit of 0 denies all the same, under any policy', async () => {
    for (const policy of ['open', 'closed'] as const) {
      const { limiter } = limiterOn(failing(new CountersError('timeout', 'too slow')));
      const { success, reason, degraded, remaining } = await limiter.judge(
        asking([WIDE, { ...NARROW, limit: 0 }], {}, policy),
      );
      assert.deepEqual(
        { success, reason, degraded, remaining },
        { success: false, reason: 'limit', degraded: true, remaining: 0 },
      );
    }
  });

  it('a fault that is not the store’s is not hidden behind a policy', async () => {
    const { limiter } = limiterOn(failing(new TypeError('a mistake in the program')));
    await assert.rejects(limiter.judge(asking([WIDE])), TypeError);
  });
});
