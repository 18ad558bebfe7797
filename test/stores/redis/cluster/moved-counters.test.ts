import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { systemClock } from '../../../../src/limiter/clock.ts';
import { EmbeddedCounters } from '../../../../src/stores/embedded/embedded-counters.ts';
import { EntryTable } from '../../../../src/stores/embedded/entry-table.ts';
import { MoveError } from '../../../../src/stores/redis/move-error.ts';
import { MovedCounters } from '../../../../src/stores/redis/moved-counters.ts';
import { RedisCounters } from '../../../../src/stores/redis/redis-counters.ts';
import { freshKey, quotaOf, setOf, silentLog } from '../../../support/counter-engines.ts';
import { RecordedLog } from '../../../support/recorded-log.ts';
import { type RedisCluster, startRedisCluster } from '../../../support/redis-cluster.ts';
import { wholeCluster } from '../../../support/redis-cluster-counters.ts';

describe('embedded counters that are moved into a cluster', () => {
  let cluster: RedisCluster;
  before(async () => {
    cluster = await startRedisCluster();
  });
  after(() => cluster?.stop());

  const begin = (name: string) =>
    MovedCounters.begin({
      url: cluster.url,
      identifierSecret: Buffer.from(name),
      holder: name,
      clock: systemClock,
      log: new RecordedLog(),
    });
  const counted = async () =>
    (await Promise.all(cluster.masters.map(({ client }) => client.keys('{p*'))))
      .flat()
      .filter((key) => /^\{p\d+\}[\w-]/.test(key)).length;

  it('are there, each where its slot is, or not at all; and another Brume’s are not overwritten', async () => {
    const set = setOf(
      { algorithm: 'sliding_log', limit: 100, windowMs: 24 * 86_400_000 },
      quotaOf(50, 'month'),
    );
    const entries = new EntryTable();
    const embedded = new EmbeddedCounters({ clock: systemClock, identifiersMax: 1000, entries });
    const keys = Array.from({ length: 300 }, freshKey);
    for (const key of keys) await embedded.check({ key, set, cost: 7, peek: false });

    const given = await begin('one');
    assert.equal(await given.write(entries.entries(), [set]), keys.length);
    assert.ok((await counted()) > keys.length);
    await given.abandon();
    assert.equal(await counted(), 0);

    const moved = await begin('one');
    await moved.write(entries.entries(), [set]);
    await moved.complete();
    await assert.rejects(
      begin('two'),
      (error) => error instanceof MoveError && /counters of another/.test(error.message),
    );

    const counters = RedisCounters.connect({
      url: cluster.url,
      timeoutMs: 1000,
      clock: systemClock,
      log: silentLog,
    });
    await wholeCluster(counters);
    for (const key of keys) {
      const { limits } = await counters.check({ key, set, cost: 1, peek: false });
      assert.deepEqual(
        limits.map(({ remaining }) => remaining),
        [92, 42],
      );
    }
    assert.notEqual(
      await counters.epoch.look(),
      undefined,
      'no node takes the cluster for one that lost its counts',
    );
    await counters.close();
  });
});
