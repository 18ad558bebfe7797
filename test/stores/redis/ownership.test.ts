import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { CountersError } from '../../../src/limiter/counters.ts';
import type { CountersCondition } from '../../../src/limiter/counters-condition.ts';
import { OwnedCounters } from '../../../src/stores/redis/owned-counters.ts';
import { CLAIM_MS, Ownership } from '../../../src/stores/redis/ownership.ts';
import { freshKey, ManualClock, setOf } from '../../support/counter-engines.ts';
import { freePort } from '../../support/free-port.ts';
import { ManualTime } from '../../support/manual-time.ts';
import { LosableCounters } from '../../support/memory-checkpoints.ts';
import { RecordedLog } from '../../support/recorded-log.ts';
import { type RedisServer, startRedis } from '../../support/redis-server.ts';
import { startRelay } from '../../support/relay.ts';

const OWNER_KEY = '{brume}owner';
const NODES_KEY = '{brume}owner-nodes';

let server: RedisServer;
let begun: Ownership[] = [];

function installation(name: string, options: { url?: string } = {}) {
  const time = new ManualTime();
  const log = new RecordedLog();
  const ownership = new Ownership({
    url: server.url,
    ...options,
    identifierSecret: Buffer.from(name),
    holder: `process 7 on ${name}`,
    clock: time,
    timers: time,
    log,
  });
  begun.push(ownership);
  return { ownership, time, log };
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 2));
}

before(async () => {
  server = await startRedis();
});
after(() => server?.stop());
beforeEach(() => server.client.flushall());
afterEach(async () => {
  for (const ownership of begun) await ownership.end();
  begun = [];
});

describe('the owner of a Redis', () => {
  it('knows which nodes of the installation count there', async () => {
    const parts = {
      url: server.url,
      identifierSecret: Buffer.from('one'),
      holder: 'one',
      log: new RecordedLog(),
    };
    const nodes = ['a', 'b'].map((node) => {
      const time = new ManualTime();
      return new Ownership({ ...parts, node, clock: time, timers: time });
    });
    begun.push(...nodes);
    const [first, second] = nodes as [Ownership, Ownership];
    await first.begin();
    assert.deepEqual(await first.nodes(), new Set(['a']));
    await second.begin();
    assert.deepEqual(await first.nodes(), new Set(['a', 'b']));
    await second.end();
    assert.deepEqual(await first.nodes(), new Set(['a']));
  });

  it('is the first installation; another one is told who it is, and changes nothing', async () => {
    const [first, second] = [installation('one'), installation('two')];
    assert.equal(await first.ownership.begin(), undefined);
    assert.equal(first.ownership.refusal(), undefined);
    const claim = await server.client.get(OWNER_KEY);
    assert.equal(await second.ownership.begin(), 'process 7 on one');
    assert.match(second.ownership.refusal() ?? '', /belongs to another installation/);
    assert.equal(await server.client.get(OWNER_KEY), claim);
  });

  it('has a claim that ends by itself and does not show the secret', async () => {
    await installation('one').ownership.begin();
    const ttlMs = await server.client.pttl(OWNER_KEY);
    assert.ok(ttlMs > 0 && ttlMs <= CLAIM_MS, String(ttlMs));
    const claim = (await server.client.get(OWNER_KEY)) ?? '';
    assert.equal(/b25l|6f6e65/.test(claim), false, claim);
  });

  it('shares it with nodes of its own, of which the last that ends gives it up', async () => {
    const nodes = [1, 2, 3].map(() => installation('one'));
    for (const { ownership } of nodes) assert.equal(await ownership.begin(), undefined);
    await nodes[0]?.ownership.end();
    await nodes[2]?.ownership.end();
    assert.equal(await server.client.exists(OWNER_KEY), 1);
    assert.equal(await installation('two').ownership.begin(), 'process 7 on one');
    await nodes[1]?.ownership.end();
    assert.deepEqual(await server.client.keys('{brume}*'), []);
    assert.equal(await installation('two').ownership.begin(), undefined);
  });

  it('keeps it for a node that gave no sign yet that it has stopped, until its sign is too old', async () => {
    const [killed, last] = [installation('one'), installation('one')];
    await killed.ownership.begin();
    await last.ownership.begin();
    const nodes = await server.client.zrange(NODES_KEY, '0', '-1');
    assert.equal(nodes.length, 2);
    await last.ownership.end();
    assert.equal(await server.client.exists(OWNER_KEY), 1);
    const again = installation('one');
    await again.ownership.begin();
    for (const node of nodes) await server.client.zadd(NODES_KEY, 'XX', 1, node);
    await again.ownership.end();
    assert.equal(await server.client.exists(OWNER_KEY), 0);
  });

  it('keeps it while memory is out, and leaves it to run out where it ends then', async () => {
    const [first, second] = [installation('one'), installation('one')];
    await first.ownership.begin();
    await second.ownership.begin();
    await server.client.config('SET', 'maxmemory', '1');
    try {
      await server.client.pexpire(OWNER_KEY, 5000);
      await first.time.advance(CLAIM_MS);
      await until(() => first.ownership.refusal() === undefined);
      assert.ok((await server.client.pttl(OWNER_KEY)) > 5000, 'it was made to last');
    } finally {
      await server.client.config('SET', 'maxmemory', '0');
    }
    // What they could not renew has run out, though both live.
    for (const node of await server.client.zrange(NODES_KEY, '0', '-1'))
      await server.client.zadd(NODES_KEY, 'XX', 1, node);
    await first.ownership.end();
    assert.equal(await server.client.exists(OWNER_KEY), 1);
  });

  it('tells once that Redis refuses the claim, however often it does', async () => {
    const { ownership, time, log } = installation('one');
    await ownership.begin();
    await server.client.config('SET', 'min-replicas-to-write', '1');
    try {
      for (let renewal = 1; renewal <= 3; renewal++) {
        await time.advance(3000);
        const refused = async () =>
          /errorstat_NOREPLICAS:count=(\d+)/.exec(await server.client.info('errorstats'));
        await until(async () => Number((await refused())?.[1] ?? 0) >= renewal);
      }
      await until(() => log.lines.length > 0);
      assert.equal(log.lines.length, 1);
      assert.match(log.lines[0] ?? '', /^warn: Redis did not take the claim/);
    } finally {
      await server.client.config('SET', 'min-replicas-to-write', '0');
    }
  });

  it('of another installation is not ended by one that was refused', async () => {
    const [first, second] = [installation('one'), installation('two')];
    await first.ownership.begin();
    await second.ownership.begin();
    await second.ownership.end();
    assert.equal(await server.client.exists(OWNER_KEY), 1);
  });

  it('ends within its time although Redis says nothing', async () => {
    const relay = await startRelay(Number(new URL(server.url).port));
    const first = installation('one', { url: `redis://127.0.0.1:${relay.port}` });
    await first.ownership.begin();
    relay.swallow();
    const ended = first.ownership.end();
    await first.time.advance(2000);
    await ended;
    await relay.stop();
  });

  it('each database of a Redis has its own', async () => {
    assert.equal(await installation('one').ownership.begin(), undefined);
    assert.equal(await installation('two', { url: `${server.url}/1` }).ownership.begin(), undefined);
  });

  it('renews its claim', async () => {
    const first = installation('one');
    await first.ownership.begin();
    await server.client.pexpire(OWNER_KEY, 5000);
    await first.time.advance(3000);
    await until(async () => (await server.client.pttl(OWNER_KEY)) > 5000);
  });

  it('counts nothing once its claim has run out: by then it may be another one’s', async () => {
    const relay = await startRelay(Number(new URL(server.url).port));
    const first = installation('one', { url: `redis://127.0.0.1:${relay.port}` });
    await first.ownership.begin();
    await relay.stop();
    await first.time.advance(CLAIM_MS - 1);
    assert.equal(first.ownership.refusal(), undefined);
    await first.time.advance(1);
    // Else it would read as if Redis were well.
    await until(() => /has not confirmed .*: Redis /.test(first.ownership.refusal() ?? ''));
  });

  it('is not known while Redis is away', async () => {
    const { ownership } = installation('one', { url: `redis://127.0.0.1:${await freePort()}` });
    assert.equal(await ownership.begin(), undefined);
    assert.match(ownership.refusal() ?? '', /has not confirmed/);
  });

  it('that is found out later is an error in the log, and counting begins when the other has gone', async () => {
    const port = await freePort();
    const url = `redis://127.0.0.1:${port}`;
    const late = installation('late', { url });
    assert.equal(await late.ownership.begin(), undefined);
    const other = await startRedis({ port });
    try {
      // The other installation was quicker.
      await other.client.set(OWNER_KEY, 'other process 9 on elsewhere', 'PX', CLAIM_MS);
      await late.time.advance(3000);
      await until(() => late.log.lines.length > 0 || late.ownership.refusal() === undefined);
      if (late.ownership.refusal() === undefined) {
        // It connected before the key was there: then the key went to it, and the other one takes it.
        await other.client.set(OWNER_KEY, 'other process 9 on elsewhere', 'PX', CLAIM_MS);
        await late.time.advance(3000);
        await until(() => late.log.lines.length > 0);
      }
      assert.match(late.log.lines[0] ?? '', /^error: another live installation counts in this Redis/);
      assert.match(late.ownership.refusal() ?? '', /process 9 on elsewhere/);
      await other.client.del(OWNER_KEY);
      await late.time.advance(CLAIM_MS);
      await until(() => late.ownership.refusal() === undefined);
      assert.equal(late.log.lines.at(-1), 'info: this Redis is now ours');
    } finally {
      await late.ownership.end();
      await other.stop();
    }
  });
});

describe('counters in a Redis of another installation', () => {
  const counters = new LosableCounters(new ManualClock());
  const check = { key: freshKey(), set: setOf(), cost: 1, peek: false };
  const epochOf = ({ epoch }: OwnedCounters) => epoch ?? assert.fail('they have no epoch');
  const calls = (owned: OwnedCounters): Promise<unknown>[] => [
    owned.check(check),
    owned.checkAtomically([check]),
    owned.reset(check.key),
    owned.settle({ ...check, token: 'nobody:1000' }),
    owned.renewLease(check.key, 'nobody:1000'),
    owned.releaseLease(check.key, 'nobody:1000'),
    owned.listLeases(check.key),
    owned.forget(check.key),
    owned.restore([]),
    epochOf(owned).look(),
    epochOf(owned).begin(),
    epochOf(owned).finish('mark'),
  ];

  it('are unavailable in every call', async () => {
    const owned = new OwnedCounters(counters, { refusal: () => 'not ours', end: async () => undefined });
    for (const call of calls(owned)) {
      await assert.rejects(call, (error) => error instanceof CountersError && error.fault === 'unavailable');
    }
    assert.equal(await owned.ping(), false);
    assert.deepEqual(await owned.condition(), { state: 'unavailable', fault: 'not_owned' });
  });

  it('tell what the Redis shows, which is why it can not confirm whose it is', async () => {
    const full = Object.assign(new LosableCounters(new ManualClock()), {
      condition: async (): Promise<CountersCondition> => ({ state: 'full', fault: 'oom' }),
    });
    const owned = new OwnedCounters(full, { refusal: () => 'not confirmed', end: async () => undefined });
    assert.deepEqual(await owned.condition(), { state: 'full', fault: 'oom' });
  });

  it('are as they are where it is ours', async () => {
    const owned = new OwnedCounters(counters, { refusal: () => undefined, end: async () => undefined });
    await Promise.all(calls(owned));
    assert.equal(await owned.ping(), true);
    assert.deepEqual(await owned.condition(), { state: 'available' });
  });
});
