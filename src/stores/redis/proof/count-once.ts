import type { Redis } from 'ioredis';
import { assetText } from '../../../assets.ts';
import { reactionTo } from '../fault-reactions.ts';
import { inTime } from '../in-time.ts';
import { clusterNode, holdsWrites, refusesToCount } from '../unfit-redis.ts';

/** As long as a new connection has to be greeted. */
const ANSWER_MS_MAX = 1500;
/** The fastest of so many shows how far away a server is; the others what else this machine had to do. */
const TRIES = 5;
const TTL_MS = '1000';

export interface CountingServer {
  readonly client: Redis;
  readonly place: string;
  /** One that it has, and nobody else uses. */
  readonly key: string;
  /** A node of a cluster: that another one has the key by now is nothing amiss. */
  readonly isShard: boolean;
  /** Connects once more, and is told the time; rejects if it isn't. */
  readonly meetAgain: () => Promise<void>;
}

/**
 * Does what a check does, some times. Resolves with how long the fastest took, in ms; null where the user
 * may not, or the slot has moved. Rejects with UnfitRedis where Redis refuses, or holds what writes.
 */
export async function countOnce(server: CountingServer): Promise<number | null> {
  let fastestMs: number | null = null;
  for (let tries = 0; tries < TRIES; tries++) {
    const sentMs = performance.now();
    const answer = await answerOf(server);
    if (answer !== undefined) {
      refuse(server, answer);
      return null;
    }
    fastestMs = Math.min(fastestMs ?? Infinity, performance.now() - sentMs);
  }
  return fastestMs;
}

/** The error that it answers with, if it does. */
async function answerOf({ client, key, place, meetAgain }: CountingServer): Promise<string | undefined> {
  const late = new Error(`it gave no answer in ${ANSWER_MS_MAX} ms`);
  try {
    await inTime(client.eval(assetText('lua/probe.lua'), 1, key, TTL_MS), ANSWER_MS_MAX, late);
    return undefined;
  } catch (error) {
    if (error instanceof Error && error.name === 'ReplyError') return error.message;
    if (error !== late) throw error;
    // On a connection whose call is held back nothing else is answered.
    await meetAgain();
    throw holdsWrites(place, ANSWER_MS_MAX);
  }
}

function refuse({ place, isShard }: CountingServer, message: string): void {
  const { kind, link } = reactionTo(message);
  // Which rights are missing is asked right by right.
  if (kind === 'noperm' || (isShard && link === 'follow')) return;
  throw link === 'follow' ? clusterNode(place) : refusesToCount(place, message);
}
