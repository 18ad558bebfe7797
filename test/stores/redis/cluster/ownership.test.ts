import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { systemClock } from '../../../../src/limiter/clock.ts';
import { systemTimers } from '../../../../src/stores/cache/timers.ts';
import { findRival } from '../../../../src/stores/redis/find-rival.ts';
import { Ownership } from '../../../../src/stores/redis/ownership.ts';
import { RecordedLog } from '../../../support/recorded-log.ts';
import { type ClusterServer, type RedisCluster, startRedisCluster } from '../../../support/redis-cluster.ts';

describe('the owner of a cluster', () => {
  let cluster: RedisCluster;
  before(async () => {
    cluster = await startRedisCluster({ args: ['--cluster-require-full-coverage', 'no'] });
  });
  after(() => cluster?.stop());

  const parts = (name: string) => ({
    url: cluster.url,
    identifierSecret: Buffer.from(name),
    clock: systemClock,
    timers: systemTimers,
  });
  const installation = (name: string) =>
    new Ownership({ ...parts(name), holder: `process 7 on ${name}`, log: new RecordedLog() });

  it('has its claim in each shard, and keeps another one out, also while a shard is away', async () => {
    const first = installation('one');
    assert.equal(await first.begin(), undefined);
    assert.equal(first.refusal(), undefined);
    const owners = await Promise.all(cluster.masters.map(({ client }) => client.keys('{p*}:owner')));
    assert.deepEqual(
      owners.map((keys) => keys.length),
      [1, 1, 1],
    );
    assert.equal(await findRival(parts('two')), 'process 7 on one');
    assert.equal(await findRival(parts('one')), undefined);

    const [away] = cluster.masters as [ClusterServer];
    await away.kill();
    const second = installation('two');
    assert.equal(await second.begin(), 'process 7 on one');
    assert.equal(first.refusal(), undefined);
    await second.end();
    await away.start();
    await cluster.settled();
    await first.end();
    const third = installation('three');
    assert.equal(await third.begin(), undefined, 'whoever has gone claims nothing');
    await third.end();
  });
});
