import { randomUUID } from 'node:crypto';
import type { Config } from '../config/config.ts';
import type { CallBlocks } from '../limiter/calls/call-blocks.ts';
import { type Clock, systemClock } from '../limiter/clock.ts';
import { identifierKeyer } from '../limiter/identifier-key.ts';
import { createLimiter, type Limiter } from '../limiter/limiter.ts';
import type { Identify } from '../planes/hooks/identification.ts';
import type { SignIn } from '../planes/management/identity/sign-in.ts';
import type { NodeStatus } from '../planes/management/node-status.ts';
import { AuditPruner } from '../stores/audit-pruning/audit-pruner.ts';
import type { SnapshotCache } from '../stores/cache/snapshot-cache.ts';
import { SnapshotExceptions } from '../stores/cache/snapshot-exceptions.ts';
import { SnapshotKeys } from '../stores/cache/snapshot-keys.ts';
import { systemTimers } from '../stores/cache/timers.ts';
import type { KnownEntries } from '../stores/embedded/load-entries.ts';
import { KeyUses } from '../stores/key-uses/key-uses.ts';
import { NotedKeys } from '../stores/key-uses/noted-keys.ts';
import { Refusals } from '../stores/sign-ins/refusals.ts';
import { SqlAuditStore } from '../stores/sql/sql-audit-store.ts';
import { SqlExceptionStore } from '../stores/sql/sql-exception-store.ts';
import { SqlKeyUses } from '../stores/sql/sql-key-uses.ts';
import { SqlManagementTokenStore } from '../stores/sql/sql-management-token-store.ts';
import { SqlOrganisationStore } from '../stores/sql/sql-organisation-store.ts';
import { SqlPolicyStore } from '../stores/sql/sql-policy-store.ts';
import { SqlRulesStore } from '../stores/sql/sql-rules-store.ts';
import { SqlTenancyStore } from '../stores/sql/sql-tenancy-store.ts';
import { SqlTierStore } from '../stores/sql/sql-tier-store.ts';
import type { SqlUsageStore } from '../stores/sql/sql-usage-store.ts';
import { SqlUserStore } from '../stores/sql/sql-user-store.ts';
import type { StateDirLock } from '../stores/sql/state-dir-lock.ts';
import { tracedCounters } from '../stores/traced/traced-counters.ts';
import { tracedSql } from '../stores/traced/traced-sql.ts';
import type { Logger } from '../telemetry/log.ts';
import { addDiskMetrics } from '../telemetry/metrics/disk-metrics.ts';
import {
  addChangeListenerMetrics,
  addKeyCacheMetrics,
  addSnapshotMetrics,
} from '../telemetry/metrics/store-metrics.ts';
import { startTracing } from '../telemetry/tracing/start-tracing.ts';
import type { Tracing } from '../telemetry/tracing/tracing.ts';
import type { KeyDirectory } from '../tenancy/api-key.ts';
import type { BudgetOf } from '../tenancy/budget.ts';
import { version } from '../version.ts';
import { callBlocks } from './call-blocks.ts';
import { certificateEnds } from './certificate-ends.ts';
import { Closers } from './closers.ts';
import { openConfiguration } from './configuration.ts';
import { consoleIdentity } from './console-identity.ts';
import { CountingElsewhere } from './counting-elsewhere.ts';
import { degradationLog } from './degradation-log.ts';
import { DegradedNamespaces } from './degraded-namespaces.ts';
import { createMetrics, forgetGoneNamespaces, type Metrics } from './metrics.ts';
import { nodeStatus } from './node-status.ts';
import { openCounters } from './open-counters.ts';
import type { BorrowedStores, OwnedStores } from './owned-stores.ts';
import { Readiness } from './readiness.ts';
import type { StartError } from './start-error.ts';
import { countingWatch, openUsage } from './usage.ts';
import { watchChanges } from './watch-changes.ts';

/** What the planes share: one of each in a process. */
export interface State {
  readonly log: Logger;
  readonly clock: Clock;
  readonly tenancy: SqlTenancyStore;
  readonly policy: SqlPolicyStore;
  readonly exceptions: SqlExceptionStore;
  readonly rules: SqlRulesStore;
  readonly organisations: SqlOrganisationStore;
  readonly users: SqlUserStore;
  readonly tokens: SqlManagementTokenStore;
  readonly tiers: SqlTierStore;
  readonly audit: SqlAuditStore;
  readonly usage: SqlUsageStore;
  readonly snapshot: SnapshotCache;
  readonly keys: KeyDirectory;
  readonly limiter: Limiter;
  /** Checks can be counted, or it is not worth waiting until they can. */
  readonly countersTried: Promise<void>;
  /** The calls of API keys and projects. */
  readonly calls: CallBlocks;
  /** How many of them a project has a day. */
  readonly budgetOf: BudgetOf;
  readonly readiness: Readiness;
  readonly status: () => Promise<NodeStatus>;
  /** Who asks on the management plane. */
  readonly identify: Identify;
  readonly signIn: SignIn;
  readonly managementUrl: string;
  readonly metrics: Metrics;
  /** Undefined: nothing is traced. */
  readonly tracing: Tracing | undefined;
  /** Resolves if a store turns out to be nothing that this process can go on with. */
  readonly unusable: Promise<StartError>;
  /** False while something that is held in this process can't be written to its disk. */
  readonly isSaved: () => boolean;
  /** The stores that were borrowed are this process's from now on, of whom others have had their last word. */
  own(lock: StateDirLock): Promise<void>;
  /** Writes what is held in this process, and closes the stores. */
  close(): Promise<void>;
  /** What was counted in this process, once closed, for whoever opens the stores again. */
  readonly keptCounters: () => KnownEntries | undefined;
}

/** Embedded stores that come from another process; absent: they are nobody's. */
export interface GivenStores {
  readonly owned?: OwnedStores | undefined;
  readonly borrowed?: BorrowedStores | undefined;
}

/**
 * Opens the stores and builds what stands on them. The configuration store must answer, or have done so
 * in an earlier run, since nothing can be decided without a configuration; the counters' store may be
 * away: then the namespaces' policies decide until it comes.
 */
export async function buildState(config: Config, log: Logger, given: GivenStores = {}): Promise<State> {
  const opened = new Closers();
  const { owned, borrowed } = given;
  if (owned !== undefined) opened.add(async () => owned.lock.giveBack());
  if (borrowed !== undefined) opened.add(async () => borrowed.giveBack());
  try {
    return await openState(config, log, { opened, ...given });
  } catch (error) {
    await opened.closeAll();
    throw error;
  }
}

async function openState(
  config: Config,
  log: Logger,
  { opened, owned, borrowed }: GivenStores & { readonly opened: Closers },
): Promise<State> {
  const clock = systemClock;
  const metrics = createMetrics(config, clock);
  const { registry } = metrics;
  opened.add(async () => metrics.close());
  addDiskMetrics(registry, config.stateDir);
  const ends = certificateEnds(config);
  registry.readings('brume_certificate_end_timestamp_seconds', () =>
    ends.map(([setting, endSeconds]) => [[setting], endSeconds]),
  );
  const tracing = await startTracing(config, { clock, log, version });
  const isDirectoryOwned = owned !== undefined;
  const node = randomUUID();
  const configuring = { clock, log, node, registry, tracing, opened, isDirectoryOwned };
  const configuration = await openConfiguration(config, { ...configuring, borrowed: borrowed?.sql });
  const { snapshot, keys, isLate, unusable } = configuration;
  const sql = tracing === undefined ? configuration.sql : tracedSql(configuration.sql, tracing);
  addSnapshotMetrics(registry, snapshot);
  addKeyCacheMetrics(registry, () => keys.stats());
  forgetGoneNamespaces(metrics, snapshot);

  const listener = watchChanges(config, { sql, snapshot, keys, clock, log });
  if (listener !== undefined) {
    opened.add(() => listener.stop());
    addChangeListenerMetrics(registry, () => listener.stats());
  }

  const identifierSecret = snapshot.identifierSecret();
  const { liveNodes, otherNodes } = configuration;
  const opening = {
    clock,
    log,
    node,
    sql,
    isLate,
    identifierSecret,
    registry,
    liveNodes,
    owned,
    borrowed: borrowed?.counters,
  };
  const {
    counters: untraced,
    condition,
    areSaved,
    kept,
    tried,
    countingHere,
    ...storeStats
  } = await openCounters(config, opening);
  opened.add(() => untraced.close());
  const elsewhere =
    countingHere && new CountingElsewhere({ countingHere, others: otherNodes, timers: systemTimers, log });
  opened.add(async () => elsewhere?.stop());
  registry.reading('brume_nodes_counting_elsewhere', () => elsewhere?.nodes.length ?? 0);
  const counters = tracing === undefined ? untraced : tracedCounters(untraced, tracing);
  const { counts, usage } = openUsage(config, { sql, clock, log, registry, opened });
  const degraded = new DegradedNamespaces(clock);
  const logDegraded = degradationLog(log, clock, config.logIdentifiers);
  const identifierKey = identifierKeyer(identifierSecret);
  const limiter = createLimiter({
    counters,
    identifierKey,
    onDegraded: (check, error) => {
      logDegraded(check, error);
      degraded.note(check.namespace, error.fault);
      metrics.checks.onDegraded(check.namespace.rule.onStoreFailure, error.fault);
    },
    watch: countingWatch(metrics.checks, counts),
    // As for a key on a miss: so long a check waits for the configuration store, and no longer.
    exceptions: new SnapshotExceptions(snapshot, systemTimers, {
      refreshTimeoutMs: config.keyLookupTimeoutMs,
    }),
  });
  const readiness = new Readiness({
    snapshot,
    condition,
    clock,
    isConfigurationReadOnly: configuration.isReadOnly,
    areCountersSaved: areSaved,
  });
  // Whoever has written a change meets it at once on this node.
  const changes = { clock, onCommit: () => snapshot.refresh() };
  const keyUses = new KeyUses({ record: new SqlKeyUses(sql), clock, timers: systemTimers });
  opened.add(() => keyUses.stop());
  const people = {
    organisations: new SqlOrganisationStore(sql, changes),
    users: new SqlUserStore(sql, changes),
    tokens: new SqlManagementTokenStore(sql, changes),
  };
  const signInWatch = new Refusals({ record: people.users, clock, timers: systemTimers });
  opened.add(() => signInWatch.stop());
  const audit = new SqlAuditStore(sql, changes);
  const { auditRetentionDays: retentionDays } = config;
  const pruner = new AuditPruner({ audit, clock, timers: systemTimers, log, retentionDays });
  opened.add(() => pruner.stop());
  // First of all, or those that end would wait for what they have to write.
  opened.add(async () => borrowed?.sql.abandon());

  return {
    log,
    clock,
    tenancy: new SqlTenancyStore(sql, changes),
    policy: new SqlPolicyStore(sql, changes),
    exceptions: new SqlExceptionStore(sql, changes),
    rules: new SqlRulesStore(sql, changes),
    ...people,
    tiers: new SqlTierStore(sql, changes),
    audit,
    usage,
    snapshot,
    keys: new NotedKeys(new SnapshotKeys(keys, { snapshot, clock }), keyUses),
    limiter,
    countersTried: tried,
    calls: callBlocks({ counters, clock, identifierKey, liveNodes, log }),
    budgetOf: (projectId) => snapshot.budgetOf(projectId),
    readiness,
    status: nodeStatus(config, {
      clock,
      readiness,
      liveNodes,
      countingElsewhere: () => elsewhere?.nodes ?? [],
      degraded,
      redisStats: undefined,
      ...storeStats,
    }),
    ...consoleIdentity(config, { clock, log, identifierSecret, signInWatch, ...people }),
    metrics,
    tracing,
    unusable,
    isSaved: () => areSaved() && !configuration.isReadOnly(),
    keptCounters: kept,
    own: async (lock) => {
      await borrowed?.own(lock);
      // What was written since it was read first.
      await snapshot.refresh();
    },
    close: () => opened.closeAll(),
  };
}
