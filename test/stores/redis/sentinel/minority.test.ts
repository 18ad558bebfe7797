import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { systemClock } from '../../../../src/limiter/clock.ts';
import { proveRedis } from '../../../../src/stores/redis/proof/prove-redis.ts';
import { RedisCounters } from '../../../../src/stores/redis/redis-counters.ts';
import { freshKey, ready, setOf } from '../../../support/counter-engines.ts';
import { freePort } from '../../../support/free-port.ts';
import { startRedis } from '../../../support/redis-server.ts';
import { type SentinelRig, startSentinels } from '../../../support/sentinels.ts';
import { waitFor } from '../../../support/wait-for.ts';

const SET = setOf({ algorithm: 'fixed_window', limit: 10, windowMs: 3_600_000 });

describe('a Sentinel that is not of one mind with the others', { timeout: 60_000 }, () => {
  it('is not obeyed when the others hang: nobody gets a second full limit', async () => {
    const warnings: string[] = [];
    const log = { info: () => undefined, warn: (_: object, text: string) => void warnings.push(text) };
    const rig = await startSentinels({ replicas: 1 });
    let stray: SentinelRig | undefined;
    let counters: RedisCounters | undefined;
    try {
      stray = await startSentinels({ replicas: 1, sentinels: 1, firstId: 9 });
      // So that theirs is the higher epoch.
      await rig.promote();
      const url = rig.url.replace('/mymaster', `,127.0.0.1:${stray.sentinels[0]?.port}/mymaster`);
      const counted = RedisCounters.connect({ url, timeoutMs: 500, clock: systemClock, log });
      counters = counted;
      await ready(counted);
      const key = freshKey();
      const ask = () => counted.check({ key, set: SET, cost: 10, peek: false });
      assert.equal((await ask()).admitted, true);
      await waitFor('all Sentinels', () => counted.stats().reachableSentinels === 4);
      for (const sentinel of rig.sentinels) sentinel.hang();
      await waitFor('the stray one alone', () => counted.stats().reachableSentinels === 1);
      await waitFor('a warning of the stray one', () =>
        warnings.some((text) => text.startsWith('the Sentinels that answer name another')),
      );
      assert.equal((await ask()).admitted, false);
      assert.equal(counted.stats().serverChanges, 0);
      // Its own failover, which it tells of before, is none of theirs.
      await stray.promote();
      assert.equal((await ask()).admitted, false);
      assert.equal(counted.stats().serverChanges, 0);
    } finally {
      await counters?.close();
      await stray?.stop();
      await rig.stop();
    }
  });
});

describe('Sentinels that tell no master', { timeout: 60_000 }, () => {
  it('each is told with what it answered', async () => {
    const rig = await startSentinels({ replicas: 0, sentinels: 1 });
    let plain: Awaited<ReturnType<typeof startRedis>> | undefined;
    try {
      plain = await startRedis();
      const { port } = new URL(plain.url);
      const awayPort = await freePort();
      const sentinelPort = rig.sentinels[0]?.port;
      const url = `redis+sentinel://127.0.0.1:${sentinelPort},127.0.0.1:${port},127.0.0.1:${awayPort}/nosuch`;
      const error = await proveRedis({ url, clock: systemClock, timeoutMs: 3000 }).catch(
        (fault: Error) => fault,
      );
      assert.ok(error instanceof Error);
      assert.equal(
        error.message.replace(/is away: .*/, 'is away'),
        `no Sentinel tells where the master is: 127.0.0.1:${sentinelPort} knows no master named nosuch; 127.0.0.1:${port} is no Sentinel; 127.0.0.1:${awayPort} is away`,
      );
    } finally {
      await plain?.stop();
      await rig.stop();
    }
  });
});
