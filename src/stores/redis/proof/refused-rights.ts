import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { assetText } from '../../../assets.ts';

/** How Brume's keys begin, and the pattern by which an ACL lets them. */
const KEYS = { '{brume}': '~{brume}*', '{p0}': '~{p*' };

/** Of a master of a cluster, in which each server has an ACL of its own. */
export interface ShardRights {
  /** A partition tag whose slot it has: it answers to no other key. */
  readonly tag: string | undefined;
}

/**
 * What Brume needs and the user of this connection may not do: commands by their names, keys as `~{brume}*`.
 * It is tried, on keys that nobody has: what an ACL comes to is hard to tell from its rules.
 */
export async function refusedRights(client: Redis, shard?: ShardRights): Promise<readonly string[]> {
  const refused = new Set<string>();
  await notRefused(client.evalsha('0'.repeat(40), 0), () => refused.add('EVALSHA'));
  await notRefused(client.client('SETNAME', 'brume'), () => refused.add('CLIENT SETNAME'));
  await notRefused(client.info('server'), () => refused.add('INFO'));
  if (shard !== undefined) await notRefused(client.cluster('SLOTS'), () => refused.add('CLUSTER SLOTS'));
  const keys = shard?.tag === undefined ? KEYS : { ...KEYS, [shard.tag]: '~{p*' };
  for (const [prefix, pattern] of Object.entries(keys)) {
    const key = `${prefix}rights-${randomBytes(6).toString('hex')}`;
    const found = await notRefused(client.eval(assetText('lua/rights.lua'), 1, key), (message) => {
      refused.add(/keys?\b/.test(message) ? pattern : 'EVAL');
    });
    if (Array.isArray(found)) for (const name of found) refused.add(String(name));
  }
  return [...refused];
}

/** Each call needs the time of the server. Rejects if that fails for another reason than a right. */
export async function mayAskTime(client: Redis): Promise<boolean> {
  try {
    await client.time();
    return true;
  } catch (error) {
    if (error instanceof Error && /^NOPERM/.test(error.message)) return false;
    throw error;
  }
}

/** Undefined if it failed: for a right that is missing `refuse` is told, anything else is no matter of rights. */
async function notRefused<Reply>(
  reply: Promise<Reply>,
  refuse: (message: string) => void,
): Promise<Reply | undefined> {
  try {
    return await reply;
  } catch (error) {
    if (error instanceof Error && /^NOPERM/.test(error.message)) refuse(error.message);
    return undefined;
  }
}
