import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Redis } from 'ioredis';
import { type CounterOutcome, OutdatedConfiguration } from '../../../src/limiter/counters.ts';
import { Asker, type Engine, redisEngine, setOf } from '../../support/counter-engines.ts';
import { type RedisServer, startRedis } from '../../support/redis-server.ts';

const SET = setOf({ algorithm: 'sliding_log', limit: 5, windowMs: 60_000 });

describe('an announced change of the configuration', () => {
  let server: RedisServer;
  let engine: Engine;
  before(async () => {
    server = await startRedis();
    engine = await redisEngine(server);
  });
  after(async () => {
    await engine?.counters.close();
    await server?.stop();
  });

  const outdated = (answer: Promise<unknown>) => assert.rejects(answer, OutdatedConfiguration);

  it('outdates checks by an older revision, which then change nothing, and no others', async () => {
    const asker = new Asker(engine, SET);
    await asker.check(1, { revision: 7 });
    await engine.counters.announce(asker.key, 8);
    await outdated(asker.check(1, { revision: 7 }));
    await outdated(asker.check(1, { revision: 7, ruling: 'exempt', set: { limits: [] } }));
    assert.equal((await asker.check(1, { revision: 8 })).limits[0]?.remaining, 3);
    assert.equal((await asker.check(1)).limits[0]?.remaining, 2);
    assert.equal((await new Asker(engine, SET).check(1, { revision: 7 })).admitted, true);
  });

  it('is over after ten seconds, by the store’s time', async () => {
    const asker = new Asker(engine, SET);
    await engine.counters.announce(asker.key, 8);
    engine.clock.advance(9_999);
    await outdated(asker.check(1, { revision: 7 }));
    engine.clock.advance(1);
    assert.equal((await asker.check(1, { revision: 7 })).admitted, true);
  });

  it('stays through a commit and an older announcement', async () => {
    const asker = new Asker(engine, SET);
    await engine.counters.announce(asker.key, 8);
    await asker.check(1, { revision: 8 });
    await engine.counters.announce(asker.key, 6);
    await outdated(asker.check(1, { revision: 7 }));
    assert.equal((await asker.check(1, { revision: 8 })).limits[0]?.remaining, 3);
  });

  it('stays through a reset, which forgets the counts', async () => {
    // A reset goes by the server's own clock.
    engine.clock.set(Date.now());
    const asker = new Asker(engine, SET);
    await asker.check(1, { revision: 8 });
    await engine.counters.announce(asker.key, 8);
    await engine.counters.reset(asker.key);
    await outdated(asker.check(1, { revision: 7 }));
    assert.equal((await asker.check(1, { revision: 8 })).limits[0]?.remaining, 4);
  });

  it('keeps a state that has no end without one, and ends with a state that has none', async () => {
    const redis = new Redis(server.url);
    try {
      const asker = new Asker(engine, SET);
      await engine.counters.announce(asker.key, 8);
      const [key] = await redis.keys(`*${asker.key}`);
      assert.ok(key !== undefined && (await redis.pttl(key)) > 0);
      await redis.persist(key);
      await engine.counters.announce(asker.key, 9);
      assert.equal(await redis.pttl(key), -1);
    } finally {
      redis.disconnect();
    }
  });

  it('leaves a damaged state to the next check, which answers as ever', async () => {
    const redis = new Redis(server.url);
    try {
      const asker = new Asker(engine, SET);
      await asker.check();
      const [key] = (await redis.keys(`*${asker.key}*`)).filter((name) => name.endsWith(asker.key));
      await redis.set(String(key), 'hello');
      await engine.counters.announce(asker.key, 8);
      await assert.rejects(asker.check(1, { revision: 7 }), /damaged/);
      for (const damaged of ['1 +:v:0:9007199254740993:1', '1 +:v:0:1:x']) {
        await redis.set(String(key), damaged);
        await assert.rejects(asker.check(1, { revision: 7 }), /damaged/);
      }
      assert.equal((await asker.check(1, { revision: 7 })).admitted, true);
    } finally {
      redis.disconnect();
    }
  });

  it('outdates a whole atomic batch, of which nothing is committed', async () => {
    const [one, two] = [new Asker(engine, SET), new Asker(engine, SET)];
    await engine.counters.announce(two.key, 8);
    const batch = (revision: number): Promise<readonly CounterOutcome[]> =>
      engine.counters.checkAtomically(
        [one, two].map(({ key }) => ({ key, set: SET, cost: 1, peek: false, revision })),
      );
    await outdated(batch(7));
    assert.equal((await one.peek()).limits[0]?.remaining, 5);
    assert.deepEqual(
      (await batch(8)).map(({ admitted }) => admitted),
      [true, true],
    );
  });
});
