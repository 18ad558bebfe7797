import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { systemClock } from '../../../../src/limiter/clock.ts';
import { CountersError } from '../../../../src/limiter/counters.ts';
import { RedisCounters } from '../../../../src/stores/redis/redis-counters.ts';
import { freshKey, ready, setOf, silentLog } from '../../../support/counter-engines.ts';
import type { RigProcess } from '../../../support/rig-process.ts';
import { startSentinels } from '../../../support/sentinels.ts';
import { waitFor } from '../../../support/wait-for.ts';

const SET = setOf({ algorithm: 'fixed_window', limit: 10, windowMs: 3_600_000 });

describe('a master that is demoted by a bare REPLICAOF', { timeout: 60_000 }, () => {
  it('B31: keeps its connections, and is left for the one that the Sentinels are told of', async () => {
    const rig = await startSentinels({ replicas: 1 });
    const counters = RedisCounters.connect({
      url: rig.url,
      timeoutMs: 500,
      clock: systemClock,
      log: silentLog,
    });
    const check = () =>
      counters.check({ key: freshKey(), set: SET, cost: 1, peek: false }).then(
        () => true,
        (error) => {
          assert.ok(error instanceof CountersError, String(error));
          return false;
        },
      );
    try {
      await ready(counters);
      await waitFor('all Sentinels', () => counters.stats().reachableSentinels === 3);
      assert.ok(await check());
      const former = await rig.master();
      const other = rig.servers.find((server) => server !== former) as RigProcess;
      // Nothing that Sentinels do by themselves: they name the demoted one until they are told otherwise.
      await other.client.call('REPLICAOF', 'NO', 'ONE');
      await former.client.call('REPLICAOF', '127.0.0.1', other.port);
      assert.equal(await check(), false, 'READONLY');
      const keysBefore = await other.client.dbsize();
      for (const { client } of rig.sentinels) {
        await client.call('SENTINEL', 'REMOVE', 'mymaster');
        await client.call('SENTINEL', 'MONITOR', 'mymaster', '127.0.0.1', other.port, 2);
      }
      await waitFor('a check that is counted', check);
      assert.ok((await other.client.dbsize()) > keysBefore);
      assert.equal(counters.stats().serverChanges, 1);
    } finally {
      await counters.close();
      await rig.stop();
    }
  });
});
