import type { Config } from '../config/config.ts';
import type { Clock } from '../limiter/clock.ts';
import type { KeyCache } from '../stores/cache/key-cache.ts';
import type { SnapshotCache } from '../stores/cache/snapshot-cache.ts';
import { systemTimers } from '../stores/cache/timers.ts';
import { ChangeListener } from '../stores/sql/change-listener.ts';
import type { Sql } from '../stores/sql/sql.ts';
import type { Logger } from '../telemetry/log.ts';

interface WatchParts {
  readonly sql: Sql;
  readonly snapshot: Pick<SnapshotCache, 'state' | 'refresh'>;
  readonly keys: Pick<KeyCache, 'recheckAll'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Refreshes the snapshot, and with it the keys, as soon as PostgreSQL tells of a change.
 * Undefined with the embedded database, which no other node writes.
 */
export function watchChanges(
  config: Pick<Config, 'databaseUrl' | 'databaseListenUrl' | 'sqlTimeoutMs'>,
  { sql, snapshot, keys, clock, log }: WatchParts,
): ChangeListener | undefined {
  const databaseUrl = config.databaseListenUrl ?? config.databaseUrl;
  if (config.databaseUrl === null || databaseUrl === null) return undefined;
  const listener = new ChangeListener({
    databaseUrl,
    sql,
    timeoutMs: config.sqlTimeoutMs,
    clock,
    timers: systemTimers,
    log,
    onChange: (revision) => {
      if (revision !== snapshot.state().revision) void snapshot.refresh();
    },
    onListening: () => {
      // What changed while nobody listened is not known.
      keys.recheckAll();
      void snapshot.refresh();
    },
  });
  listener.start();
  return listener;
}
