import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createTenant } from '../support/admin-socket.ts';
import { startBrume } from '../support/brume-process.ts';
import { call } from '../support/http-call.ts';
import { limitCall } from '../support/limit-call.ts';
import { metricsOf } from '../support/metrics-of.ts';
import { startRedis } from '../support/redis-server.ts';

const LIMIT = 1_000_000;
const TIMEOUT_MS = 50;
/** An answer takes its time on a busy machine: of that this test is no measure. */
const SLACK_MS = 4000;
const EVERY_MS = 5;
/** scripts/test-long lets it hang for a minute. */
const HANGING_MS = 1000 * Number(process.env.TEST_HANGING_SECONDS ?? 5);
/** A machine that is too busy for the load gets less of it. */
const UNDER_WAY_MAX = 40;

function ruleOf(onStoreFailure: string, identifyBy?: string): object {
  const limits = [{ name: 'default', algorithm: 'sliding_window', limit: LIMIT, windowMs: 3_600_000 }];
  return { onStoreFailure, limits, ...(identifyBy && { identifyBy }) };
}

function residentBytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
}

/** How many calls to the counters there were, and how many of them took less than 10 and than 250 ms. */
async function waits(socketPath: string) {
  const metrics = await metricsOf(socketPath);
  const number = (line: RegExp) => Number(line.exec(metrics)?.[1]);
  return {
    count: number(/^brume_store_duration_seconds_count\S* (\d+)$/m),
    quick: number(/^brume_store_duration_seconds_bucket\{.*le="0.01"\} (\d+)$/m),
    soon: number(/^brume_store_duration_seconds_bucket\{.*le="0.25"\} (\d+)$/m),
  };
}

test('B34: a Redis that hangs costs a few checks their deadline; then the policy answers at once, and nothing is counted late', {
  timeout: 60_000 + HANGING_MS,
}, async (t) => {
  const redis = await startRedis();
  t.after(() => redis.stop());
  const brume = await startBrume({
    BRUME_REDIS_URL: redis.url,
    BRUME_REDIS_TIMEOUT_MS: String(TIMEOUT_MS),
  });
  t.after(() => brume.stop());
  const socket = brume.settings.BRUME_ADMIN_SOCKET ?? '';
  const key = await createTenant(socket, 'shop', {
    open: ruleOf('open'),
    closed: ruleOf('closed'),
    forward: ruleOf('closed', 'path'),
  });
  const asked = { open: 'POST', closed: 'POST', forward: 'GET' } as const;
  type Namespace = keyof typeof asked;

  async function ask(namespace: Namespace) {
    const startMs = performance.now();
    const answer =
      namespace === 'forward'
        ? await call(`${brume.url}/v1/auth/forward/forward/a`, { headers: { 'X-Brume-Key': key } })
        : await limitCall(brume, key, { namespace, identifier: 'ann' });
    return { namespace, tookMs: performance.now() - startMs, ...answer };
  }

  /** 200 checks a second, of each kind in turn. */
  async function load(ms: number) {
    const answers: ReturnType<typeof ask>[] = [];
    const kinds: Namespace[] = ['open', 'closed', 'forward'];
    let underWay = 0;
    const startMs = performance.now();
    while (performance.now() < startMs + ms) {
      const due = Math.floor((performance.now() - startMs) / EVERY_MS);
      while (answers.length < due && underWay < UNDER_WAY_MAX) {
        underWay++;
        answers.push(ask(kinds[answers.length % 3] ?? 'open').finally(() => underWay--));
      }
      await delay(EVERY_MS);
    }
    return Promise.all(answers);
  }

  const usedOf = async (namespace: Namespace) => {
    const body = JSON.stringify({ namespace, identifier: 'ann' });
    const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
    const { remaining } = JSON.parse(
      (await call(`${brume.url}/v1/peek`, { method: 'POST', headers, body })).body,
    );
    return LIMIT - remaining;
  };

  await load(1000);
  const usedBefore = await usedOf('open');
  const bytesBefore = residentBytes(brume.pid);
  const before = await waits(socket);
  process.kill(redis.pid, 'SIGSTOP');
  let hanging: Awaited<ReturnType<typeof load>> = [];
  try {
    hanging = await load(HANGING_MS);
    assert.ok(residentBytes(brume.pid) - bytesBefore < 50 * 2 ** 20, 'memory');
  } finally {
    process.kill(redis.pid, 'SIGCONT');
  }
  const timeouts = Number(/^brume_redis_timeouts_total (\d+)$/m.exec(await metricsOf(socket))?.[1]);
  assert.ok(timeouts < 60, `${timeouts} calls cost their deadline`);
  const slowest = Math.max(...hanging.map(({ tookMs }) => tookMs));
  assert.ok(slowest < TIMEOUT_MS + SLACK_MS, `slowest ${slowest} ms`);
  const { count, quick, soon } = await waits(socket);
  const share = (quick - before.quick) / (count - before.count);
  assert.ok(share > 0.5, `${share} of the checks waited for Redis less than 10 ms`);
  // As a rule, whatever the machine does: those that waited did so for their deadline and no longer.
  const waited = count - before.count - (quick - before.quick);
  const waitedLong = count - before.count - (soon - before.soon);
  assert.ok(waitedLong <= waited / 2, `${waitedLong} of ${waited} checks that waited took 250 ms or more`);
  const told = `${timeouts} calls cost their deadline, ${(100 * share).toFixed(1)} % waited less than 10 ms`;
  t.diagnostic(
    `${told}, slowest answer ${slowest.toFixed(0)} ms of ${hanging.length} in ${HANGING_MS / 1000} s`,
  );
  for (const answer of hanging) {
    if (answer.namespace === 'forward') assert.equal(answer.status, 503);
    else {
      assert.equal(answer.status, 200);
      assert.ok('degraded' in answer && answer.degraded === true && 'success' in answer);
      assert.equal(answer.success, answer.namespace === 'open');
      if (answer.namespace === 'closed') assert.equal(answer.reason, 'store_unavailable');
    }
  }

  const continuedMs = performance.now();
  while ((await limitCall(brume, key, { namespace: 'closed', identifier: 'bea' })).degraded !== false);
  const recoveryMs = performance.now() - continuedMs;
  t.diagnostic(`recovered after ${recoveryMs.toFixed(0)} ms`);
  assert.ok(recoveryMs < 5000, `recovered after ${recoveryMs} ms`);
  assert.equal(await usedOf('open'), usedBefore, 'what was given up is not counted later');
});
