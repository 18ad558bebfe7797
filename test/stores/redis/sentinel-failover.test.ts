import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { systemClock } from '../../../src/limiter/clock.ts';
import { CountersError } from '../../../src/limiter/counters.ts';
import { RedisCounters } from '../../../src/stores/redis/redis-counters.ts';
import { freshKey, quotaOf, ready, setOf, silentLog } from '../../support/counter-engines.ts';
import { placesOf } from '../../support/local-house.ts';
import type { RigProcess } from '../../support/rig-process.ts';
import { type SentinelRig, startSentinels } from '../../support/sentinels.ts';
import { waitFor } from '../../support/wait-for.ts';

const SET = setOf({ algorithm: 'fixed_window', limit: 1_000_000, windowMs: 3_600_000 });
/** So long after most Sentinels name the new master checks are counted again; the target of the issue is 5 s. */
const RECOVERED_MS = 2500;

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

function connect(url: string): RedisCounters {
  return RedisCounters.connect({ url, timeoutMs: 100, clock: systemClock, log: silentLog });
}

/** Asks every 10 ms, as traffic would, and tells how it went; to be stopped whatever happens. */
function traffic(counters: RedisCounters) {
  let isOver = false;
  const answers: { readonly atMs: number; readonly isCounted: boolean; readonly tookMs: number }[] = [];
  const asked: Promise<void>[] = [];
  const check = async () => {
    const atMs = performance.now();
    const isCounted = await counters.check({ key: freshKey(), set: SET, cost: 1, peek: false }).then(
      () => true,
      (error) => {
        assert.ok(error instanceof CountersError, String(error));
        return false;
      },
    );
    answers.push({ atMs, isCounted, tookMs: performance.now() - atMs });
  };
  const running = (async () => {
    while (!isOver) {
      asked.push(check());
      await pause(10);
    }
    await Promise.all(asked);
  })();
  return {
    answers,
    async stop() {
      isOver = true;
      await running;
    },
  };
}

async function countedAgainAfter(answers: readonly { atMs: number; isCounted: boolean }[], sinceMs: number) {
  const counted = await waitFor('a check that is counted', () =>
    answers.find(({ atMs, isCounted }) => isCounted && atMs >= sinceMs),
  );
  return counted.atMs - sinceMs;
}

const reachable = (counters: RedisCounters, sentinels: number) =>
  waitFor(`${sentinels} Sentinels`, () => counters.stats().reachableSentinels === sentinels);

/** How many scripts it was sent by now; what is replicated to it are the effects of scripts. */
async function scriptsSentTo({ client }: RigProcess): Promise<number> {
  const stats = await client.info('commandstats');
  return ['eval', 'evalsha'].reduce(
    (sum, name) => sum + Number(new RegExp(`cmdstat_${name}:calls=(\\d+)`).exec(stats)?.[1] ?? 0),
    0,
  );
}

describe('a Redis whose master Sentinels know', { timeout: 60_000 }, () => {
  let rig: SentinelRig;
  let counters: RedisCounters;
  before(async () => {
    // One for each that is lost on the way: Sentinels take ten seconds to make a replica of one that came back.
    rig = await startSentinels({ replicas: 4 });
    counters = connect(rig.url);
    await ready(counters);
  });
  after(async () => {
    await counters?.close();
    await rig?.stop();
  });

  for (const fault of ['kill', 'hang'] as const) {
    it(`counts on the new master soon after the old one ${fault === 'kill' ? 'is killed' : 'hangs'}`, async () => {
      const former = await rig.master();
      const changesBefore = counters.stats().serverChanges;
      const load = traffic(counters);
      let atMs = 0;
      let tookMs = 0;
      let master = former;
      try {
        await countedAgainAfter(load.answers, performance.now());
        if (fault === 'kill') await former.kill();
        else former.hang();
        atMs = performance.now();
        master = await rig.promotedInPlaceOf(former);
        tookMs = await countedAgainAfter(load.answers, performance.now());
        await pause(100);
      } finally {
        await load.stop();
      }
      assert.ok(tookMs < RECOVERED_MS, `counted again ${tookMs} ms after the promotion`);
      assert.ok((await scriptsSentTo(master)) > 0);
      // On a busy machine Sentinels may take a server for down that is only late, and change it once more.
      assert.ok(counters.stats().serverChanges > changesBefore);
      const slow = load.answers.filter((answer) => answer.tookMs > 1000);
      assert.deepEqual(slow, [], 'no check waited');
      // The breaker: after the first few nobody waits for the dead master.
      const middle = load.answers.filter((answer) => !answer.isCounted && answer.atMs > atMs + 500);
      const fastest = middle.map((answer) => answer.tookMs).sort((a, b) => a - b);
      assert.ok((fastest[Math.floor(fastest.length / 2)] ?? 0) < 10);
    });
  }

  it('B31: a demoted master that keeps its connections is left for the new one', async () => {
    const former = await rig.master();
    const load = traffic(counters);
    let tookMs = 0;
    let lateWrites = 0;
    try {
      await countedAgainAfter(load.answers, performance.now());
      const changesBefore = counters.stats().serverChanges;
      await rig.promote();
      tookMs = await countedAgainAfter(load.answers, performance.now());
      await waitFor('another server', () => counters.stats().serverChanges > changesBefore, { everyMs: 1 });
      lateWrites = await scriptsSentTo(former);
      await pause(200);
    } finally {
      await load.stop();
    }
    assert.ok(tookMs < RECOVERED_MS, `counted again ${tookMs} ms after the promotion`);
    assert.equal(
      await scriptsSentTo(former),
      lateWrites,
      'nothing went to the old master once the new one was known',
    );
  });

  it('without any Sentinel counting goes on at the last known master', async () => {
    for (const sentinel of rig.sentinels) sentinel.hang();
    await reachable(counters, 0);
    await counters.check({ key: freshKey(), set: SET, cost: 1, peek: false });
    for (const sentinel of rig.sentinels) sentinel.resume();
    await reachable(counters, 3);
  });

  it('one named Sentinel is enough: it tells of the others, and they serve when it is gone', async () => {
    const [first] = rig.sentinels as [RigProcess];
    const another = connect(`redis+sentinel://localhost:${first.port}/mymaster`);
    try {
      await ready(another);
      // By a name here and by an address from the others, it has one voice.
      await reachable(another, 3);
      await first.kill();
      await reachable(another, 2);
      const former = await rig.master();
      await former.kill();
      await rig.promotedInPlaceOf(former);
      await ready(another);
      await another.check({ key: freshKey(), set: SET, cost: 1, peek: false });
    } finally {
      await another.close();
    }
  });
});

describe('what a failover loses', { timeout: 60_000 }, () => {
  it('B37: at most what the promoted replica had not heard of, and it is told', async () => {
    const rig = await startSentinels({ replicas: 1 });
    const warnings: string[] = [];
    const log = { info: () => undefined, warn: (_: object, message: string) => void warnings.push(message) };
    const counters = RedisCounters.connect({ url: rig.url, timeoutMs: 500, clock: systemClock, log });
    try {
      await ready(counters);
      const key = freshKey();
      const set = setOf(quotaOf(1000, 'day'), {
        algorithm: 'sliding_window',
        limit: 1000,
        windowMs: 3_600_000,
      });
      let admitted = 0;
      const ask = async (times: number) => {
        for (let time = 0; time < times; time++) {
          const outcome = await counters.check({ key, set, cost: 1, peek: false });
          for (const { remaining } of outcome.limits) assert.ok(remaining >= 0);
          if (outcome.admitted) admitted++;
        }
      };
      await ask(500);
      const master = await rig.master();
      const replica = rig.servers.find((each) => each !== master) as RigProcess;
      // WAIT waits for what its own connection wrote, and so for all before that.
      await master.client.set('written', 'last', 'PX', 60_000);
      assert.equal(await master.client.wait(1, 10_000), 1);
      // It follows nobody from now on; Sentinels would mend that after some seconds.
      await replica.client.call('REPLICAOF', '127.0.0.1', '1');
      await ask(300);
      await master.kill();
      await rig.promotedInPlaceOf(master);
      await ready(counters);
      await ask(600);
      assert.equal(admitted, 1300, 'the limit, and the 300 that were lost');
      assert.ok(counters.stats().serverChanges > 0);
      assert.ok(warnings.some((message) => message.startsWith('another Redis server')));
    } finally {
      await counters.close();
      await rig.stop();
    }
  });

  it('B37: places beyond the limit end within their TTL', async () => {
    const [limit, ttlMs] = [3, 2000];
    const rig = await startSentinels({ replicas: 1 });
    const counters = RedisCounters.connect({
      url: rig.url,
      timeoutMs: 500,
      clock: systemClock,
      log: silentLog,
    });
    try {
      await ready(counters);
      const key = freshKey();
      const set = placesOf(limit, ttlMs);
      /** How many of so many places are given. */
      const take = async (times: number) => {
        let given = 0;
        for (let time = 0; time < times; time++) {
          const holder = `${freshKey()}:${ttlMs}`;
          const outcome = await counters.check({ key, set, cost: 1, peek: false, holder });
          for (const { remaining } of outcome.limits) assert.ok(remaining >= 0);
          if (outcome.admitted) given++;
        }
        return given;
      };
      const master = await rig.master();
      const replica = rig.servers.find((each) => each !== master) as RigProcess;
      await replica.client.call('REPLICAOF', '127.0.0.1', '1');
      assert.equal(await take(limit), limit);
      await master.kill();
      await rig.promotedInPlaceOf(master);
      await ready(counters);
      assert.equal(await take(2 * limit), limit, 'as many as were lost');
      const held = await counters.listLeases(key);
      assert.equal(held.length, limit);
      const lastMs = Math.max(...held.map(({ expiresMs }) => expiresMs));
      // By the time of Redis, which gives them; nobody renews them.
      const peek = () => counters.check({ key, set, cost: 1, peek: true });
      const { nowMs, limits: full } = await peek();
      assert.ok(lastMs <= nowMs + ttlMs && full[0]?.remaining === 0, `${lastMs - nowMs} ms`);
      const { limits: free } = await waitFor('their time to be over', async () => {
        const outcome = await peek();
        return outcome.nowMs > lastMs && outcome;
      });
      assert.equal(free[0]?.remaining, limit);
    } finally {
      await counters.close();
      await rig.stop();
    }
  });
});
