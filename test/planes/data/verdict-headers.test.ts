import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LimitVerdict, Verdict } from '../../../src/limiter/verdict.ts';
import { verdictHeaders } from '../../../src/planes/data/verdict-headers.ts';

const ALL = { xRateLimit: true, rateLimit: true, retryAfter: true };

function limit(changes: Partial<LimitVerdict> = {}): LimitVerdict {
  return {
    name: 'default',
    algorithm: 'gcra',
    success: true,
    limit: 10,
    windowMs: 60_000,
    period: null,
    quota: 10,
    remaining: 9,
    reset: 61_001,
    retryAfter: null,
    growsAfter: 6,
    ...changes,
  };
}

function verdict(changes: Partial<Verdict> = {}): Verdict {
  return {
    success: true,
    namespace: 'api',
    identifier: 'a',
    limit: 10,
    remaining: 9,
    reset: 61_001,
    retryAfter: null,
    delayMs: 0,
    reason: null,
    degraded: false,
    limits: [limit()],
    shadow: [],
    requestId: null,
    ...changes,
  };
}

test('a verdict shows its tightest limit, and all of them in the IETF form', () => {
  const limits = [
    limit(),
    limit({ name: 'per-day', quota: 1000, windowMs: 86_400_000, remaining: 0, growsAfter: null }),
  ];
  assert.deepEqual(verdictHeaders(verdict({ limits, retryAfter: 3, success: false }), ALL), {
    'x-ratelimit-limit': '10',
    'x-ratelimit-remaining': '9',
    'x-ratelimit-reset': '62',
    ratelimit: '"default";r=9;t=6, "per-day";r=0',
    'ratelimit-policy': '"default";q=10;w=60, "per-day";q=1000;w=86400',
    'retry-after': '3',
  });
});

test('a window is whole seconds, rounded up, and left out below one', () => {
  const policy = (windowMs: number) =>
    verdictHeaders(verdict({ limits: [limit({ windowMs })] }), ALL)['ratelimit-policy'];
  assert.deepEqual(
    [policy(999), policy(1000), policy(1001), policy(1)],
    ['"default";q=10', '"default";q=10;w=1', '"default";q=10;w=2', '"default";q=10'],
  );
});

test('the largest integers are written out, and cut where a structured field ends', () => {
  const max = Number.MAX_SAFE_INTEGER;
  const headers = verdictHeaders(
    verdict({ limit: max, remaining: max, limits: [limit({ quota: max, remaining: max })] }),
    ALL,
  );
  assert.equal(headers['x-ratelimit-limit'], '9007199254740991');
  assert.equal(headers['x-ratelimit-remaining'], '9007199254740991');
  assert.equal(headers.ratelimit, '"default";r=999999999999999;t=6');
  assert.equal(headers['ratelimit-policy'], '"default";q=999999999999999;w=60');
});

test('what is unknown has no header, and a degraded verdict says so', () => {
  const unknown = verdict({ limit: null, remaining: null, reset: null, limits: [], degraded: true });
  assert.deepEqual(verdictHeaders(unknown, ALL), { 'x-brume-ratelimit-degraded': 'true' });
  assert.deepEqual(verdictHeaders(unknown, { xRateLimit: false, rateLimit: false, retryAfter: false }), {
    'x-brume-ratelimit-degraded': 'true',
  });
});
