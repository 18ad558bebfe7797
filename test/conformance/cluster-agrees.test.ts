import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { systemClock } from '../../src/limiter/clock.ts';
import { RedisCounters } from '../../src/stores/redis/redis-counters.ts';
import { embeddedEngine, ManualClock, silentLog } from '../support/counter-engines.ts';
import { type RedisCluster, startRedisCluster } from '../support/redis-cluster.ts';
import { wholeCluster } from '../support/redis-cluster-counters.ts';
import { ALL, assertAgreement, type History, historyArbitrary } from './counters/histories.ts';

/** `scripts/test-long` raises it. */
const HISTORIES = Math.ceil(Number(process.env.BRUME_TEST_HISTORIES ?? 2000) / 10);

describe('a cluster and the reference models give the same outcome, field by field, in atomic batches over two masters too', () => {
  let cluster: RedisCluster;
  let counters: RedisCounters;
  const clock = new ManualClock();
  before(async () => {
    cluster = await startRedisCluster();
    counters = RedisCounters.connect({
      url: cluster.url,
      timeoutMs: 5000,
      clock: systemClock,
      log: silentLog,
      injectedNowMs: () => clock.nowMs(),
    });
    await wholeCluster(counters);
  });
  after(async () => {
    await counters?.close();
    await cluster?.stop();
  });

  it(`rules of several limits and algorithms: ${HISTORIES} random histories`, async () => {
    const property = fc.asyncProperty(historyArbitrary(ALL), async (history) => {
      await assertAgreement(withoutTaking(history), embeddedEngine(), { name: 'redis', counters, clock });
    });
    await fc.assert(property, { numRuns: HISTORIES });
    const redirected = counters.stats().cluster?.redirections;
    assert.deepEqual(redirected, { moved: 0, ask: 0, tryagain: 0 }, 'each call went where its slot is');
  });
});

/**
 * An atomic batch takes no places and reserves nothing; and time goes on: what a batch reserves and gives back
 * is written as it stands then, and an earlier window is no longer found where the clock steps back.
 */
function withoutTaking({ first, steps }: History): History {
  return {
    first,
    steps: steps.map((step) => {
      if (step.kind === 'time') return { ...step, byMs: Math.abs(step.byMs) };
      if (step.kind !== 'checks' || !step.isAtomic) return step;
      return { ...step, checks: step.checks.map((check) => ({ ...check, takes: undefined })) };
    }),
  };
}
