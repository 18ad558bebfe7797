import assert from 'node:assert/strict';
import { symlinkSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { systemClock } from '../../../../src/limiter/clock.ts';
import { CountersError } from '../../../../src/limiter/counters.ts';
import { RedisCounters } from '../../../../src/stores/redis/redis-counters.ts';
import { freshKey, ready, setOf, silentLog } from '../../../support/counter-engines.ts';
import { startRedis } from '../../../support/redis-server.ts';
import type { RigProcess } from '../../../support/rig-process.ts';
import { startSentinels } from '../../../support/sentinels.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
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

  it('B31: is left by READONLY alone, for whoever is in its place by then, within 5 s', async (t) => {
    const [former, other] = await Promise.all([startRedis(), startRedis()]);
    // A name that leads elsewhere for new connections; nobody tells of it.
    const name = join(temporaryDirectory(t), 'redis.sock');
    const lead = ({ socketUrl }: typeof former) => symlinkSync(socketUrl.replace('unix://', ''), name);
    lead(former);
    const counters = RedisCounters.connect({
      url: `unix://${name}`,
      timeoutMs: 500,
      clock: systemClock,
      log: silentLog,
    });
    const check = () => counters.check({ key: freshKey(), set: SET, cost: 1, peek: false });
    try {
      await ready(counters);
      await check();
      unlinkSync(name);
      lead(other);
      await former.client.replicaof('127.0.0.1', Number(new URL(other.url).port));
      const demotedMs = performance.now();
      assert.equal(counters.stats().reconnects, 0, 'the connection is kept');
      await assert.rejects(check(), /READONLY/);
      const isCounted = () =>
        check().then(
          () => true,
          () => false,
        );
      await waitFor('a check that is counted', isCounted, { timeoutMs: 5000 });
      assert.ok(performance.now() - demotedMs < 5000);
      assert.equal(counters.stats().serverChanges, 1);
      assert.ok((await other.client.keys('{p*')).length > 0, 'on the other');
    } finally {
      await counters.close();
      await Promise.all([former.stop(), other.stop()]);
    }
  });
});
