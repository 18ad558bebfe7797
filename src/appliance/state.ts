import type { Config } from '../config/config.ts';
import { type Clock, systemClock } from '../limiter/clock.ts';
import { identifierKeyer } from '../limiter/identifier-key.ts';
import { createLimiter, type Limiter } from '../limiter/limiter.ts';
import { KeyCache } from '../stores/cache/key-cache.ts';
import { SnapshotCache } from '../stores/cache/snapshot-cache.ts';
import { SnapshotExceptions } from '../stores/cache/snapshot-exceptions.ts';
import { SnapshotKeys } from '../stores/cache/snapshot-keys.ts';
import { systemTimers } from '../stores/cache/timers.ts';
import type { Sql } from '../stores/sql/sql.ts';
import { SqlExceptionStore } from '../stores/sql/sql-exception-store.ts';
import { SqlKeyDirectory } from '../stores/sql/sql-key-directory.ts';
import { SqlPolicyStore } from '../stores/sql/sql-policy-store.ts';
import { SqlRulesStore } from '../stores/sql/sql-rules-store.ts';
import { SqlSnapshotSource } from '../stores/sql/sql-snapshot-source.ts';
import { SqlTenancyStore } from '../stores/sql/sql-tenancy-store.ts';
import type { Logger } from '../telemetry/log.ts';
import {
  addChangeListenerMetrics,
  addKeyCacheMetrics,
  addSnapshotMetrics,
} from '../telemetry/metrics/store-metrics.ts';
import type { KeyDirectory } from '../tenancy/api-key.ts';
import { Closers } from './closers.ts';
import { openConfigurationStore } from './configuration-store.ts';
import { degradationLog } from './degradation-log.ts';
import { enterRegistry } from './enter-registry.ts';
import { createMetrics, forgetGoneNamespaces, type Metrics } from './metrics.ts';
import { openCounters } from './open-counters.ts';
import { Readiness } from './readiness.ts';
import { StartError } from './start-error.ts';
import { watchChanges } from './watch-changes.ts';

/** What the planes share: one of each in a process. */
export interface State {
  readonly log: Logger;
  readonly clock: Clock;
  readonly tenancy: SqlTenancyStore;
  readonly policy: SqlPolicyStore;
  readonly exceptions: SqlExceptionStore;
  readonly rules: SqlRulesStore;
  readonly snapshot: SnapshotCache;
  readonly keys: KeyDirectory;
  readonly limiter: Limiter;
  readonly readiness: Readiness;
  readonly metrics: Metrics;
  close(): Promise<void>;
}

/**
 * Opens the stores and builds what stands on them. The configuration store must answer, since
 * nothing can be decided without a configuration; the counters' store may be away: then the
 * namespaces' policies decide until it comes.
 */
export async function buildState(config: Config, log: Logger): Promise<State> {
  const opened = new Closers();
  try {
    return await openState(config, log, opened);
  } catch (error) {
    await opened.closeAll();
    throw error;
  }
}

async function openState(config: Config, log: Logger, opened: Closers): Promise<State> {
  const clock = systemClock;
  const metrics = createMetrics(config, clock);
  const { registry } = metrics;
  opened.add(async () => metrics.close());
  const sql = await openConfigurationStore(config, log, registry);
  opened.add(() => sql.close());
  opened.add(await enterRegistry(config, sql, log));
  const { snapshot, keys } = lookups(config, sql, { clock, log });
  opened.add(() => snapshot.stop());
  await snapshot.start();
  if (!snapshot.state().isLoaded) {
    throw new StartError('the configuration could not be read; the line before this one says why');
  }
  addSnapshotMetrics(registry, snapshot);
  addKeyCacheMetrics(registry, () => keys.stats());
  forgetGoneNamespaces(metrics, snapshot);

  const listener = watchChanges(config, { sql, snapshot, keys, clock, log });
  if (listener !== undefined) {
    opened.add(() => listener.stop());
    addChangeListenerMetrics(registry, () => listener.stats());
  }

  const identifierSecret = snapshot.identifierSecret();
  const counters = await openCounters(config, { clock, log, sql, identifierSecret, registry });
  opened.add(() => counters.close());
  const logDegraded = degradationLog(log, clock, config.logIdentifiers);
  const limiter = createLimiter({
    counters,
    identifierKey: identifierKeyer(identifierSecret),
    onDegraded: (check, error) => {
      logDegraded(check, error);
      metrics.checks.onDegraded(check.namespace.rule.onStoreFailure, error.fault);
    },
    watch: metrics.checks,
    exceptions: new SnapshotExceptions(snapshot, systemTimers),
  });
  const readiness = new Readiness({ snapshot, counters, clock });
  registry.reading('brume_draining', () => (readiness.isDraining ? 1 : 0));
  // Whoever has written a change meets it at once on this node.
  const changes = { clock, onCommit: () => snapshot.refresh() };

  return {
    log,
    clock,
    tenancy: new SqlTenancyStore(sql, changes),
    policy: new SqlPolicyStore(sql, changes),
    exceptions: new SqlExceptionStore(sql, changes),
    rules: new SqlRulesStore(sql, changes),
    snapshot,
    keys: new SnapshotKeys(keys, { snapshot, clock }),
    limiter,
    readiness,
    metrics,
    close: () => opened.closeAll(),
  };
}

/** What every check looks up: the policy in memory, and the keys behind their cache. */
function lookups(config: Config, sql: Sql, { clock, log }: { clock: Clock; log: Logger }) {
  const keys = new KeyCache({ ...config, directory: new SqlKeyDirectory(sql), clock, timers: systemTimers });
  const snapshot = new SnapshotCache({
    source: new SqlSnapshotSource(sql),
    clock,
    timers: systemTimers,
    log,
    propagationMs: config.propagationMs,
    onChange: (projectIds) => keys.invalidate(projectIds),
  });
  return { snapshot, keys };
}
