import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Check } from '../../src/limiter/check.ts';
import { type Counters, CountersError } from '../../src/limiter/counters.ts';
import { identifierKeyer } from '../../src/limiter/identifier-key.ts';
import { createLimiter } from '../../src/limiter/limiter.ts';
import { parseRule } from '../../src/policy/rule-input.ts';
import { EmbeddedCounters } from '../../src/stores/embedded/embedded-counters.ts';
import { ManualClock } from '../support/counter-engines.ts';

const RULE = parseRule({
  limits: [
    { name: 'minute', algorithm: 'fixed_window', limit: 2, windowMs: 60_000 },
    { name: 'places', algorithm: 'concurrency', limit: 5, ttlMs: 60_000 },
  ],
  onStoreFailure: 'closed',
});

function watched(change: (counters: Counters) => void = () => undefined) {
  const clock = new ManualClock();
  const counters = new EmbeddedCounters({ clock, identifiersMax: 100 });
  change(counters);
  const seen: string[] = [];
  let nowMs = 0;
  const limiter = createLimiter({
    counters,
    identifierKey: identifierKeyer(new Uint8Array(32)),
    onDegraded: () => seen.push('degraded'),
    watch: {
      monotonicMs: () => {
        nowMs += 5;
        return nowMs;
      },
      onStoreAnswer: (durationMs) => seen.push(`${durationMs} ms`),
      onVerdict: ({ identifier, peek }, { success, reason }) =>
        seen.push(`${identifier}${peek ? ' peeks' : ''}: ${success ? 'allowed' : reason}`),
    },
  });
  const check = (identifier: string, more: Partial<Check> = {}): Check => {
    const namespace = { id: 'ns_1', projectId: 'prj_1', name: 'api', rule: RULE };
    return { namespace, identifier, cost: 1, peek: false, ...more };
  };
  return { limiter, seen, check };
}

test('every verdict is told once, with how long the counters took: checks, peeks, leases, reservations', async () => {
  const { limiter, seen, check } = watched();
  await limiter.judge(check('ann', { cost: 3 }));
  await limiter.judge(check('ann', { peek: true }));
  await limiter.acquire(check('ann'));
  await limiter.reserve(check('ann'), 60_000);
  assert.deepEqual(
    seen.filter((line) => line.endsWith(' ms')),
    ['5 ms', '5 ms', '5 ms', '5 ms'],
  );
  assert.deepEqual(
    seen.filter((line) => !line.endsWith(' ms')),
    ['ann: impossible', 'ann peeks: allowed', 'ann: allowed', 'ann: lease_required'],
  );
});

test('a batch of all or none is one call to the counters, and a verdict for each of its checks', async () => {
  const { limiter, seen, check } = watched();
  await limiter.judgeAtomically([check('ann'), check('bob')]);
  assert.deepEqual(seen, ['5 ms', 'ann: lease_required', 'bob: lease_required']);
});

test('when the counters fail it is told too: how long that took, that it was degraded, and the verdict', async () => {
  const { limiter, seen, check } = watched((counters) => {
    counters.check = async () => {
      throw new CountersError('timeout', 'no answer');
    };
  });
  await limiter.judge(check('ann'));
  assert.deepEqual(seen, ['5 ms', 'degraded', 'ann: store_unavailable']);
});
