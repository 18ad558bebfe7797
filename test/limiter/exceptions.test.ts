import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Check } from '../../src/limiter/check.ts';
import {
  type CounterCheck,
  type Counters,
  CountersError,
  OutdatedConfiguration,
} from '../../src/limiter/counters.ts';
import { ENDLESS, type Exception, type Exceptions } from '../../src/limiter/exceptions.ts';
import { identifierKeyer } from '../../src/limiter/identifier-key.ts';
import { createLimiter } from '../../src/limiter/limiter.ts';
import { EmbeddedCounters } from '../../src/stores/embedded/embedded-counters.ts';
import { limitOf, ManualClock, setOf } from '../support/counter-engines.ts';

const MINUTE = { name: 'minute', algorithm: 'fixed_window', limit: 2, windowMs: 60_000 } as const;

/** Exceptions by subject, whose later revisions arrive when they are read anew. */
class TestExceptions implements Exceptions {
  readonly known = new Map<string, Exception>();
  readonly coming: (() => void)[] = [];
  number = 1;
  refreshes = 0;

  revision(): number {
    return this.number;
  }

  find(_namespace: unknown, subject: string, nowMs: number): Exception | undefined {
    const exception = this.known.get(subject);
    return exception !== undefined && nowMs < exception.untilMs ? exception : undefined;
  }

  async refresh(): Promise<void> {
    this.refreshes++;
    for (const arrive of this.coming.splice(0)) arrive();
  }
}

function setUp(wrap: (counters: EmbeddedCounters) => Counters = (counters) => counters) {
  const clock = new ManualClock();
  const exceptions = new TestExceptions();
  const degraded: CountersError[] = [];
  const limiter = createLimiter({
    counters: wrap(new EmbeddedCounters({ clock, identifiersMax: 100 })),
    identifierKey: identifierKeyer(new Uint8Array(32)),
    onDegraded: (_check, error) => degraded.push(error),
    exceptions,
  });
  return { clock, exceptions, limiter, degraded };
}

function checkOf(overrides: Partial<Check> = {}): Check {
  const rule = { limits: [limitOf(MINUTE)], onStoreFailure: 'open' as const };
  const namespace = { id: 'ns_1', projectId: 'prj_1', name: 'login', rule };
  return { namespace, identifier: 'alice', cost: 1, peek: false, ...overrides };
}

/** The counters with another way to check. */
function withCheck(
  counters: EmbeddedCounters,
  check: (check: CounterCheck) => ReturnType<Counters['check']>,
): Counters {
  return Object.assign(Object.create(counters) as Counters, {
    check,
    nowMs: () => counters.nowMs(),
  });
}

describe('an exception', () => {
  it('blocks with the time until which it holds, and what was used is as it was when it ends', async () => {
    const { limiter, exceptions, clock } = setUp();
    await limiter.judge(checkOf());
    const untilMs = clock.nowMs() + 1500;
    exceptions.known.set('alice', { effect: 'block', untilMs });
    assert.deepEqual(await limiter.judge(checkOf({ requestId: 'r1' })), {
      success: false,
      namespace: 'login',
      identifier: 'alice',
      limit: null,
      remaining: 0,
      reset: untilMs,
      retryAfter: 2,
      delayMs: 0,
      reason: 'blocked',
      degraded: false,
      limits: [],
      shadow: [],
      requestId: 'r1',
    });
    clock.set(untilMs);
    const { success, remaining } = await limiter.judge(checkOf());
    assert.deepEqual({ success, remaining }, { success: true, remaining: 0 });
  });

  it('that blocks without an end has no time to come back', async () => {
    const { limiter, exceptions } = setUp();
    exceptions.known.set('alice', { effect: 'block', untilMs: ENDLESS });
    const { success, reset, retryAfter } = await limiter.judge(checkOf());
    assert.deepEqual({ success, reset, retryAfter }, { success: false, reset: null, retryAfter: null });
  });

  it('exempts from every limit, consuming nothing, and grants no lease and no reservation', async () => {
    const { limiter, exceptions } = setUp();
    exceptions.known.set('alice', { effect: 'exempt', untilMs: ENDLESS });
    const { success, reason, limit } = await limiter.judge(checkOf({ cost: 1000 }));
    assert.deepEqual({ success, reason, limit }, { success: true, reason: 'exempt', limit: null });
    const { granted, verdict } = await limiter.reserve(checkOf(), 1000);
    assert.deepEqual({ granted, success: verdict.success }, { granted: null, success: true });
    exceptions.known.clear();
    assert.equal((await limiter.judge(checkOf())).remaining, 1);
  });

  it('B18: overrides a limit by a number: base 5 and bonus 10 are 15', async () => {
    const { limiter, exceptions } = setUp();
    const set = setOf({ ...MINUTE, limit: 5 + 10 });
    exceptions.known.set('alice', { effect: 'replace', untilMs: ENDLESS, set });
    const { limit, remaining, limits } = await limiter.judge(checkOf());
    assert.deepEqual([limit, remaining, limits[0]?.limit], [15, 14, 15]);
  });

  it('is looked for by the subject, which may be more than the identifier', async () => {
    const { limiter, exceptions } = setUp();
    exceptions.known.set('2001:db8::1', { effect: 'block', untilMs: ENDLESS });
    const network = { identifier: '2001:db8::/64' };
    assert.equal((await limiter.judge(checkOf({ ...network, subject: '2001:db8::2' }))).success, true);
    assert.equal((await limiter.judge(checkOf({ ...network, subject: '2001:db8::1' }))).success, false);
  });

  it('holds while the store gives no answer, visibly', async () => {
    const { limiter, exceptions, degraded } = setUp((counters) =>
      withCheck(counters, () => Promise.reject(new CountersError('timeout', 'too slow'))),
    );
    exceptions.known.set('alice', { effect: 'block', untilMs: ENDLESS });
    exceptions.known.set('bob', { effect: 'exempt', untilMs: ENDLESS });
    exceptions.known.set('carol', {
      effect: 'replace',
      untilMs: ENDLESS,
      set: setOf({ ...MINUTE, limit: 0 }),
    });
    const answers = [];
    for (const identifier of ['alice', 'bob', 'carol', 'dave']) {
      const { success, reason, degraded: isDegraded } = await limiter.judge(checkOf({ identifier }));
      answers.push([success, reason, isDegraded]);
    }
    assert.deepEqual(answers, [
      [false, 'blocked', true],
      [true, 'exempt', true],
      [false, 'limit', true],
      [true, null, true],
    ]);
    assert.equal(degraded.length, 4);
  });

  it('denies an atomic batch as a whole', async () => {
    const { limiter, exceptions } = setUp();
    exceptions.known.set('bob', { effect: 'block', untilMs: ENDLESS });
    exceptions.known.set('carol', { effect: 'exempt', untilMs: ENDLESS });
    const verdicts = await limiter.judgeAtomically(
      ['alice', 'bob', 'carol'].map((identifier) => checkOf({ identifier })),
    );
    assert.deepEqual(
      verdicts.map(({ success, reason, remaining }) => [success, reason, remaining]),
      [
        [false, null, 2],
        [false, 'blocked', 0],
        [false, 'exempt', null],
      ],
    );
  });
});

describe('a check by an outdated configuration', () => {
  it('is asked again by what has been read anew, and counted once', async () => {
    const { limiter, exceptions } = setUp((counters) =>
      withCheck(counters, (check) => {
        if ((check.revision ?? 2) < 2) return Promise.reject(new OutdatedConfiguration());
        return counters.check(check);
      }),
    );
    exceptions.coming.push(() => {
      exceptions.number = 2;
      exceptions.known.set('alice', { effect: 'block', untilMs: ENDLESS });
    });
    assert.equal((await limiter.judge(checkOf())).reason, 'blocked');
    assert.equal(exceptions.refreshes, 1);
  });

  it('is decided by what the node knows where nothing newer can be read', async () => {
    const { limiter, exceptions } = setUp((counters) =>
      withCheck(counters, (check) =>
        check.revision === undefined ? counters.check(check) : Promise.reject(new OutdatedConfiguration()),
      ),
    );
    const { success, degraded } = await limiter.judge(checkOf());
    assert.deepEqual({ success, degraded }, { success: true, degraded: false });
    assert.equal(exceptions.refreshes, 2);
  });

  it('is asked again without a block that had ended by the store’s own time', async () => {
    const { limiter, exceptions, clock } = setUp((counters) =>
      Object.assign(
        withCheck(counters, (check) => counters.check(check)),
        { nowMs: () => counters.nowMs() - 40 },
      ),
    );
    exceptions.known.set('alice', { effect: 'block', untilMs: clock.nowMs() - 10 });
    assert.equal((await limiter.judge(checkOf())).success, true);
  });
});
