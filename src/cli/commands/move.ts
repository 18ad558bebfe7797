import type { Command } from 'commander';
import { redisUrl } from '../../config/kinds/redis-url.ts';
import { databaseUrl } from '../../config/kinds/store-url.ts';
import { redisAccess } from '../../config/redis-access.ts';
import { name } from '../arguments.ts';
import { onStores, storesOf } from '../by-hand/stores-command.ts';
import { defineCommand, withOutputOptions } from '../define-command.ts';
import type { OutputOptions, Session } from '../session.ts';
import { UsageError } from '../usage-error.ts';
import { countsText } from './backup-text.ts';
import { type GivenUrl, givenUrl } from './move-urls.ts';

interface Options extends OutputOptions {
  readonly config?: string;
  readonly to?: string;
  readonly toFile?: string;
  readonly redis?: string;
  readonly redisFile?: string;
}

export function move(program: Command, session: Session): void {
  const command = defineCommand(program, 'move', {
    summary: 'move the embedded stores to PostgreSQL and Redis',
    description:
      'Moves what is configured from the embedded database to PostgreSQL, and with --redis all that is counted to Redis, all of it or nothing. Brume must be stopped, and both must hold nothing of Brume yet. The embedded stores are kept as they are; Brume no longer starts from them, so that nobody serves from both. A URL on the command line can be seen by others on this machine while the command runs: one with a password belongs into a file.',
    examples: [
      'brume move --to-file /etc/brume/database-url --redis-file /etc/brume/redis-url',
      'brume move --to postgres://brume@db.internal/brume --redis redis://redis.internal/0',
    ],
  })
    .option('--to <url>', 'the PostgreSQL database', name)
    .option('--to-file <file>', 'a file that holds the URL of the PostgreSQL database and nothing else', name)
    .option('--redis <url>', 'the Redis for the counters; without it they stay on this machine', name)
    .option('--redis-file <file>', 'a file that holds the URL of the Redis and nothing else', name)
    .option('--config <file>', 'configuration file (default: /etc/brume/brume.conf, if it exists)');
  withOutputOptions(command).action((options: Options) =>
    session.answer(options, async () => {
      const to = givenUrl('to', options.to, options.toFile, databaseUrl());
      const redis = givenUrl('redis', options.redis, options.redisFile, redisUrl());
      if (to === undefined) throw new UsageError('Name the database with --to URL or --to-file FILE.');
      const stores = await storesOf(options.config);
      const { config, owner, used } = stores;
      const access = redisAccess(config);
      const [operation, { asOwner }] = await Promise.all([
        import('../../operations/move/move.ts'),
        import('../../operations/installed/as-owner.ts'),
      ]);
      const places = { to: to.url, redis: redis?.url ?? null, access };
      const moved = await onStores(stores, () => asOwner(owner, () => operation.move(config, places)));
      const settings = [
        setting('BRUME_DATABASE_URL', to),
        ...(redis === undefined ? [] : [setting('BRUME_REDIS_URL', redis)]),
      ];
      const { identifiers, damaged, rows } = moved;
      const lines = [
        `Moved to ${moved.to}: ${countsText(rows)}.`,
        identifiers !== null
          ? `Moved to Redis: the counters of ${identifiers} identifiers.`
          : config.redisUrl !== null
            ? 'The counters stay in the Redis of BRUME_REDIS_URL.'
            : `The counters stay on this machine, in ${config.stateDir}: Brume runs on one node.`,
        ...(damaged > 0 ? [`${damaged} entries of the counters were damaged and are left out.`] : []),
        'Put into brume.conf, then start Brume:',
        ...settings.map((line) => `  ${line}`),
        `The embedded stores are still in ${config.stateDir}; Brume no longer starts from them.`,
      ];
      return { json: { ...moved, settings, used }, text: lines.join('\n') };
    }),
  );
}

/** The line for brume.conf; never a password. */
function setting(variable: string, { url, file }: GivenUrl): string {
  if (file !== undefined) return `${variable}_FILE=${file}`;
  return `${variable}=${url.replace(/^([^:]+:\/\/[^:@/]*):[^@/]+@/, '$1:PASSWORD@')}`;
}
