import type { Config } from '../config/config.ts';
import { redisAccess } from '../config/redis-access.ts';
import { messageOf } from '../errors/message-of.ts';
import { systemClock } from '../limiter/clock.ts';
import { systemTimers } from '../stores/cache/timers.ts';
import { findRival } from '../stores/redis/find-rival.ts';
import type { RedisAccess } from '../stores/redis/redis-address.ts';
import { type HeldInstallation, heldInstallation } from '../stores/sql/held-installation.ts';
import { schemaState } from '../stores/sql/migrate.ts';
import type { Sql } from '../stores/sql/sql.ts';
import { type KnownInstallation, knownInstallation } from './known-installation.ts';
import { assertOurs, isOther } from './our-database.ts';
import { redisOfAnother } from './own-redis.ts';
import { StartError } from './start-error.ts';

/**
 * Looks whether the database is one that this node may bring up to date and start from. An empty one is
 * nobody's yet, unless this node has a snapshot of what it held, or the Redis is in use: then it is most
 * likely about to be restored, and a new installation in it would drive out the old one.
 *
 * @throws NotOurs for what may pass, so that the node can start from its snapshot; StartError else.
 */
export async function assertMayMigrate(config: Config, sql: Sql): Promise<void> {
  const held = await heldInstallation(sql);
  const known = await knownInstallation(config);
  if (known !== undefined) assertKnown(held, known);
  if (config.redisUrl !== null && (held.state === 'none' || (await schemaState(sql)).pending.length > 0)) {
    await assertNoRival({ url: config.redisUrl, access: redisAccess(config) }, sql, held);
  }
}

function assertKnown(held: HeldInstallation, known: KnownInstallation): void {
  const { path, identifierSecret } = known;
  if (identifierSecret !== 'unreadable') {
    try {
      assertOurs(held, identifierSecret, path);
      return;
    } catch (error) {
      // That doesn't pass by itself, and a node that waited for it would hide it.
      if (isOther(held, identifierSecret)) throw new StartError(messageOf(error));
      throw error;
    }
  }
  if (held.state !== 'none') return;
  throw new StartError(
    `BRUME_DATABASE_URL: the database is empty, and ${path}, which tells what it held, can't be read. Restore the ` +
      'backup of the database. If a new installation is meant, move that file away',
  );
}

async function assertNoRival(
  redis: { readonly url: string; readonly access: RedisAccess },
  sql: Sql,
  held: HeldInstallation,
): Promise<void> {
  const rivalOf = (found: HeldInstallation) => {
    const identifierSecret = found.state === 'none' ? undefined : found.identifierSecret;
    return findRival({ ...redis, identifierSecret, clock: systemClock, timers: systemTimers });
  };
  let rival = await rivalOf(held);
  // Another node may have made the installation, and claimed the Redis for it, since we looked.
  if (rival !== undefined && held.state === 'none') rival = await rivalOf(await heldInstallation(sql));
  if (rival !== undefined) throw redisOfAnother(rival);
}
