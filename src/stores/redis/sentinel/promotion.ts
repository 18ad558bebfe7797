import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { Clock } from '../../../limiter/clock.ts';
import { closeClient } from '../connection.ts';
import type { RedisEndpoint } from '../redis-address.ts';
import { infoFields } from '../server-identity.ts';
import { readyClient } from './ready-client.ts';

export interface PromotionOptions {
  /** Opens a client of a Redis server that connects once, and ends when that ends. */
  readonly connect: (endpoint: RedisEndpoint) => Redis;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** Aborted when nobody wants to know any more. */
  readonly signal: AbortSignal;
}

/** What the former master counts after the promotion is lost: the sooner it is seen, the less. */
const ASK_EVERY_MS = 10;
/** One that hangs is not promoted; where this process is held up itself, a shorter time would only begin anew. */
const ANSWER_TIMEOUT_MS = 1000;
/** From the choice of a replica to its promotion it takes some 100 ms; `failover-timeout` may be minutes. */
const WATCHED_MS = 10_000;

/**
 * Asks the replica that a Sentinel has chosen until it is a master. The Sentinel learns that when it next asks
 * for INFO itself, up to a second later, and names the new master only then.
 *
 * @returns false if it isn't one in 10 s, if it doesn't let itself be asked, or if the signal comes first.
 */
export async function isPromoted(
  replica: RedisEndpoint,
  { connect, clock, signal }: PromotionOptions,
): Promise<boolean> {
  const endMs = clock.monotonicMs() + WATCHED_MS;
  while (!signal.aborted && clock.monotonicMs() < endMs) {
    const client = connect(replica);
    const close = () => closeClient(client);
    const silence = setTimeout(close, ANSWER_TIMEOUT_MS);
    const ended = new Promise<void>((resolve) => client.once('end', () => resolve()));
    signal.addEventListener('abort', close);
    let hasAnswered = false;
    try {
      await readyClient(client);
      while (clock.monotonicMs() < endMs) {
        const role = infoFields(await client.info('replication')).get('role');
        silence.refresh();
        hasAnswered = true;
        if (role === 'master') return true;
        // The promotion itself ends it: Sentinels send CLIENT KILL TYPE normal along.
        await Promise.race([delay(ASK_EVERY_MS), ended]);
      }
    } catch (error) {
      if (error instanceof Error && /^NOPERM/.test(error.message)) return false;
      // One that has answered was promoted just now, and is asked again at once.
      if (!hasAnswered) await delay(ASK_EVERY_MS);
    } finally {
      signal.removeEventListener('abort', close);
      clearTimeout(silence);
      close();
    }
  }
  return false;
}
