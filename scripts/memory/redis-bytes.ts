import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../src/limiter/clock.ts';
import { RedisCounters } from '../../src/stores/redis/redis-counters.ts';
import { ready, silentLog } from '../../test/support/counter-engines.ts';
import { type RedisServer, startRedis } from '../../test/support/redis-server.ts';
import { newKey, type Subject } from './subjects.ts';

export interface Measured {
  readonly bytesEach: number;
  /** Resolves with what is used above the baseline once everything has ended; rejects if it doesn't end. */
  readonly left: Promise<number>;
}

const UNDER_WAY = 1024;

/** An allocator is never back to the byte. */
export const LEFT_MAX_BYTES = 1024 * 1024;

/** Fills a throw-away Redis through RedisCounters, by its own clock, and watches it empty itself. */
export async function measureRedis(subject: Subject, lifeMs: number): Promise<Measured> {
  const server = await startRedis();
  const counters = RedisCounters.connect({
    url: server.url,
    timeoutMs: 10_000,
    clock: systemClock,
    log: silentLog,
  });
  await ready(counters);
  // So that the scripts and the connections are part of the baseline.
  await counters.reset(newKey());
  const warm = subject.setAt(Date.now(), 1000);
  await counters.check({ ...subject.check(newKey(), warm), peek: true });
  const baseline = await usedBytes(server);

  const set = subject.setAt(Date.now(), lifeMs);
  for (let done = 0; done < subject.identifiers; done += UNDER_WAY) {
    const count = Math.min(UNDER_WAY, subject.identifiers - done);
    const keys = Array.from({ length: count }, newKey);
    for (let time = 0; time < subject.checksEach; time++) {
      const outcomes = await Promise.all(keys.map((key) => counters.check(subject.check(key, set))));
      if (!outcomes.every(({ admitted }) => admitted)) throw new Error(`${subject.name}: a check was denied`);
    }
  }
  const { keys, expires } = await keyspace(server);
  if (keys < subject.identifiers) throw new Error(`${subject.name}: some ended already; use a longer --life`);
  if (expires !== keys) throw new Error(`${subject.name}: ${keys - expires} keys carry no TTL`);
  const bytesEach = ((await usedBytes(server)) - baseline) / subject.identifiers;
  return { bytesEach, left: leftOf(server, counters, lifeMs, baseline) };
}

/** A state lives at most two windows; Redis then removes what has ended at its leisure. */
async function emptied(server: RedisServer, lifeMs: number, baseline: number): Promise<number> {
  const untilMs = Date.now() + 4 * lifeMs + 60_000;
  while ((await server.client.dbsize()) > 0) {
    if (Date.now() > untilMs) throw new Error(`${await server.client.dbsize()} keys are left`);
    await sleep(500);
  }
  // The table of keys itself shrinks a little later.
  while ((await usedBytes(server)) - baseline > LEFT_MAX_BYTES && Date.now() < untilMs) await sleep(500);
  return (await usedBytes(server)) - baseline;
}

async function leftOf(
  server: RedisServer,
  counters: RedisCounters,
  lifeMs: number,
  baseline: number,
): Promise<number> {
  try {
    return await emptied(server, lifeMs, baseline);
  } finally {
    await counters.close();
    await server.stop();
  }
}

async function usedBytes({ client }: RedisServer): Promise<number> {
  return Number(/^used_memory:(\d+)/m.exec(await client.info('memory'))?.[1]);
}

async function keyspace({ client }: RedisServer): Promise<{ keys: number; expires: number }> {
  const [, keys = '0', expires = '0'] = /keys=(\d+),expires=(\d+)/.exec(await client.info('keyspace')) ?? [];
  return { keys: Number(keys), expires: Number(expires) };
}
