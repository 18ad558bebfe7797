import type { Redis } from 'ioredis';
import type { Timers } from '../cache/timers.ts';
import { connectRedis, databaseOf } from './connection.ts';
import { FIRST_ANSWER_MS, installationId, OWNER_KEY } from './ownership.ts';

export interface RivalSought {
  readonly url: string;
  /** Undefined: there is no installation yet, so that every claim is another one's. */
  readonly identifierSecret: Uint8Array | undefined;
  readonly timers: Timers;
}

/**
 * Who holds the claim of another installation on this Redis. Undefined if nobody does, or Redis is away:
 * then the claim itself tells. Changes nothing, and never rejects.
 */
export async function findRival({ url, identifierSecret, timers }: RivalSought): Promise<string | undefined> {
  const redis = connectRedis(url);
  const { promise: isOver, resolve: giveUp } = Promise.withResolvers<undefined>();
  redis.on('error', () => undefined);
  redis.once('close', () => giveUp(undefined));
  const stopWaiting = timers.after(FIRST_ANSWER_MS, () => giveUp(undefined));
  try {
    const claim = await Promise.race([claimIn(redis, url).catch(() => undefined), isOver]);
    const [, installation, holder] = /^(\S+) (.*)$/.exec(claim ?? '') ?? [];
    const isOurs = identifierSecret !== undefined && installation === installationId(identifierSecret);
    return isOurs ? undefined : holder;
  } finally {
    stopWaiting();
    redis.disconnect();
  }
}

async function claimIn(redis: Redis, url: string): Promise<string | undefined> {
  if (redis.status !== 'ready') await new Promise<void>((resolve) => redis.once('ready', () => resolve()));
  // ioredis goes on in database 0 where the one that was asked for can't be had.
  await redis.select(databaseOf(url));
  return (await redis.get(OWNER_KEY)) ?? undefined;
}
