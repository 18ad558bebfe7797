import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { systemClock } from '../../../src/limiter/clock.ts';
import { RedisCounters } from '../../../src/stores/redis/redis-counters.ts';
import { ready, silentLog } from '../../support/counter-engines.ts';
import { type RedisServer, startRedis } from '../../support/redis-server.ts';

function connect(url: string): RedisCounters {
  return RedisCounters.connect({ url, timeoutMs: 2000, clock: systemClock, log: silentLog });
}

describe('the mark in Redis by which a loss of counts is seen', () => {
  let server: RedisServer;
  let counters: RedisCounters;
  before(async () => {
    server = await startRedis();
    counters = connect(server.url);
    await ready(counters);
  });
  after(async () => {
    await counters?.close();
    await server?.stop();
  });
  beforeEach(() => server.client.flushall());

  it('is missing at first, and there once counts are restored', async () => {
    const { epoch } = counters;
    assert.equal(await epoch.look(), undefined);
    const mark = await epoch.begin();
    assert.equal(await epoch.look(), undefined, 'not before it is finished');
    assert.equal(await epoch.finish(mark), true);
    assert.equal(await epoch.look(), mark);
    assert.equal(await server.client.pttl('{brume}epoch'), -1);
  });

  it('is one for several nodes that restore at once', async () => {
    const marks = await Promise.all(Array.from({ length: 5 }, () => counters.epoch.begin()));
    const [mark] = marks;
    assert.equal(new Set(marks).size, 1);
    assert.deepEqual(
      await Promise.all(marks.map((each) => counters.epoch.finish(each))),
      Array(5).fill(true),
    );
    assert.equal(await counters.epoch.look(), mark);
    assert.equal(await counters.epoch.begin(), mark, 'it stays while counts are whole');
  });

  it('is another after a loss, also one in the midst of restoring', async () => {
    const first = await counters.epoch.begin();
    await server.client.flushall();
    assert.equal(await counters.epoch.finish(first), false);
    const second = await counters.epoch.begin();
    assert.notEqual(second, first);
    assert.equal(await counters.epoch.finish(first), false);
    assert.equal(await counters.epoch.finish(second), true);
  });

  it('does not count in another server process, even where it came along with a file or a replica', async () => {
    await counters.epoch.finish(await counters.epoch.begin());
    const text = (await server.client.get('{brume}epoch')) ?? '';
    const other = await startRedis();
    const elsewhere = connect(other.url);
    try {
      await ready(elsewhere);
      await other.client.set('{brume}epoch', text);
      assert.equal(await elsewhere.epoch.look(), undefined);
      const mark = await elsewhere.epoch.begin();
      assert.ok(!text.includes(mark));
      assert.equal(await elsewhere.epoch.finish(mark), true);
    } finally {
      await elsewhere.close();
      await other.stop();
    }
  });
});
