import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { systemClock } from '../../../../src/limiter/clock.ts';
import { proveRedis } from '../../../../src/stores/redis/proof/prove-redis.ts';
import { RedisCounters } from '../../../../src/stores/redis/redis-counters.ts';
import { freshKey, ready, setOf } from '../../../support/counter-engines.ts';
import { freePort } from '../../../support/free-port.ts';
import { startRedis } from '../../../support/redis-server.ts';
import { startSentinels } from '../../../support/sentinels.ts';

const SET = setOf({ algorithm: 'fixed_window', limit: 10, windowMs: 3_600_000 });
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

describe('a Sentinel that is not of one mind with the others', { timeout: 60_000 }, () => {
  it('is not obeyed when the others hang: nobody gets a second full limit', async () => {
    const rig = await startSentinels({ replicas: 1 });
    const stray = await startSentinels({ replicas: 0, sentinels: 1, firstId: 9 });
    const warnings: string[] = [];
    const log = { info: () => undefined, warn: (_: object, text: string) => void warnings.push(text) };
    // So that theirs is the higher epoch.
    await rig.promote();
    const url = rig.url.replace('/mymaster', `,127.0.0.1:${stray.sentinels[0]?.port}/mymaster`);
    const counters = RedisCounters.connect({ url, timeoutMs: 500, clock: systemClock, log });
    try {
      await ready(counters);
      const key = freshKey();
      const ask = () => counters.check({ key, set: SET, cost: 10, peek: false });
      assert.equal((await ask()).admitted, true);
      while (counters.stats().reachableSentinels !== 4) await pause(20);
      for (const sentinel of rig.sentinels) sentinel.hang();
      while (counters.stats().reachableSentinels !== 1) await pause(20);
      while (!warnings.some((text) => text.startsWith('the Sentinels that answer name another')))
        await pause(20);
      assert.equal((await ask()).admitted, false);
      assert.equal(counters.stats().serverChanges, 0);
    } finally {
      await counters.close();
      await stray.stop();
      await rig.stop();
    }
  });
});

describe('Sentinels that tell no master', { timeout: 60_000 }, () => {
  it('each is told with what it answered', async () => {
    const rig = await startSentinels({ replicas: 0, sentinels: 1 });
    const plain = await startRedis();
    const { port } = new URL(plain.url);
    const awayPort = await freePort();
    const sentinelPort = rig.sentinels[0]?.port;
    const url = `redis+sentinel://127.0.0.1:${sentinelPort},127.0.0.1:${port},127.0.0.1:${awayPort}/nosuch`;
    try {
      const error = await proveRedis({ url, clock: systemClock, timeoutMs: 3000 }).catch(
        (fault: Error) => fault,
      );
      assert.ok(error instanceof Error);
      assert.equal(
        error.message.replace(/is away: .*/, 'is away'),
        `no Sentinel tells where the master is: 127.0.0.1:${sentinelPort} knows no master named nosuch; 127.0.0.1:${port} is no Sentinel; 127.0.0.1:${awayPort} is away`,
      );
    } finally {
      await plain.stop();
      await rig.stop();
    }
  });
});
