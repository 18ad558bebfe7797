import type { StoreWarning } from '../../store-warning.ts';
import type { ProvenRedis, ProvenServer } from './prove-redis.ts';

/** Windows of callers and nodes would be read wrongly by as much. */
const CLOCKS_APART_MS_MAX = 1000;
/** Replicas answer each second. */
const LAG_SECONDS_MAX = 3;
const BEHIND_BYTES_MAX = 1024 * 1024;
const NAMED_MAX = 3;
/** Of the memory that Redis may use. */
const MEMORY_SHARE_MAX = 0.9;

/**
 * What is wrong with a Redis that can be used.
 *
 * @param callTimeoutMs how long a check waits for an answer; absent: nothing is said of how long one takes.
 */
export function redisWarnings(proven: ProvenRedis, callTimeoutMs = Infinity): readonly StoreWarning[] {
  const { servers, sentinels, topology, slotsAway } = proven;
  const silent = sentinels.filter(({ fault }) => fault !== undefined);
  return [
    ...servers.flatMap((server) => slowWarnings(server, callTimeoutMs)),
    ...servers.flatMap((server) => serverWarnings(server, servers.length > 1)),
    ...(slotsAway === ''
      ? []
      : [
          warning(
            'slots_away',
            `No master has the slots ${slotsAway}: checks of their identifiers are degraded, and with cluster-require-full-coverage yes all checks. Give them to a master: redis-cli --cluster fix.`,
          ),
        ]),
    ...loneWarnings(proven),
    ...silent.map(({ place, fault }) =>
      warning('sentinel_away', `The Sentinel at ${place} tells nothing of the master: it ${fault}.`),
    ),
    ...(topology === 'sentinel' && sentinels.length < 3
      ? [
          warning(
            'few_sentinels',
            `There are ${sentinels.length} Sentinels. With fewer than 3 the loss of one leaves nobody to fail over.`,
          ),
        ]
      : []),
  ];
}

/** The fastest of several: slower than that, whatever else this machine had to do, is every check. */
function slowWarnings({ answerMs, place }: ProvenServer, callTimeoutMs: number): StoreWarning[] {
  if (answerMs === null || answerMs <= callTimeoutMs) return [];
  const text = `Redis at ${place} takes ${Math.ceil(answerMs)} ms at best to answer a check, and BRUME_REDIS_TIMEOUT_MS is ${callTimeoutMs}: all checks are degraded. Raise it, or run Redis nearer.`;
  return [warning('slow', text)];
}

/** Of masters without a replica, where one is expected. Who may not ask doesn't know. */
function loneWarnings({ servers, topology }: ProvenRedis): StoreWarning[] {
  if (topology === 'single') return [];
  return servers.flatMap(({ place, role, replicas }) => {
    if (role === undefined || replicas.length > 0) return [];
    const text =
      topology === 'sentinel'
        ? 'The master has no replica, so that Sentinels have nothing to fail over to.'
        : `The master at ${place} has no replica: while it is away its slots are counted by nobody.`;
    return [warning('no_replica', text)];
  });
}

function serverWarnings(server: ProvenServer, isOneOfSeveral: boolean): StoreWarning[] {
  const at = isOneOfSeveral ? ` at ${server.place}` : '';
  return [
    ...memoryWarnings(server, at),
    ...sharingWarnings(server, at),
    ...replicaWarnings(server),
    ...(Math.abs(server.clockAheadMs) > CLOCKS_APART_MS_MAX
      ? [
          warning(
            'clock_apart',
            `The clock of Redis${at} is ${(Math.abs(server.clockAheadMs) / 1000).toFixed(1)} s ${server.clockAheadMs > 0 ? 'ahead of' : 'behind'} this machine's. Windows go by the clock of Redis. Set the clocks (chrony, systemd-timesyncd).`,
          ),
        ]
      : []),
    ...(server.refused.length > 0
      ? [
          warning(
            'missing_rights',
            `The user may not do all that Brume needs${at}. Missing: ${server.refused.join(', ')}. docs/redis.md has an ACL.`,
          ),
        ]
      : []),
  ];
}

function memoryWarnings({ memory, persistence }: ProvenServer, at: string): StoreWarning[] {
  const { isAppendOnly, save } = persistence;
  const { usedBytes = 0, maxBytes = 0 } = memory;
  return [
    ...(maxBytes > 0 && usedBytes > maxBytes * MEMORY_SHARE_MAX
      ? [
          warning(
            'memory_nearly_full',
            `Redis${at} uses ${Math.round((usedBytes / maxBytes) * 100)} % of its maxmemory: in a full one nobody is counted, newcomers and known ones alike. Raise maxmemory.`,
          ),
        ]
      : []),
    ...(memory.policy !== undefined && memory.policy !== 'noeviction'
      ? [
          warning(
            'eviction_policy',
            `maxmemory-policy${at} is ${memory.policy}: when memory is full, counters are thrown away and their limits begin anew. Set maxmemory-policy noeviction.`,
          ),
        ]
      : []),
    ...(isAppendOnly === false && save === ''
      ? [
          warning(
            'no_persistence',
            `Redis${at} writes nothing to disk (appendonly no, no save): a restart forgets all counts. Quotas come back from their checkpoints, limits don't. Set appendonly yes where windows are long.`,
          ),
        ]
      : []),
    ...(isAppendOnly === false && save === undefined
      ? [
          warning(
            'persistence_unknown',
            `Redis${at} has appendonly no, and whether it saves snapshots can't be asked, since the user may not call CONFIG GET: without either a restart forgets all counts. Set appendonly yes where windows are long.`,
          ),
        ]
      : []),
  ];
}

function sharingWarnings(server: ProvenServer, at: string): StoreWarning[] {
  const { foreignKeys, otherDatabases, otherClients } = server;
  return [
    ...(foreignKeys.length > 0
      ? [
          warning(
            'shared_keys',
            `Redis${at} holds keys that are not Brume's (${someOf(foreignKeys)}). ${ALONE}`,
          ),
        ]
      : []),
    ...(otherDatabases.length > 0
      ? [
          warning(
            'shared_databases',
            `There are keys in other databases of Redis${at} (${someOf(otherDatabases)}). ${ALONE}`,
          ),
        ]
      : []),
    ...(otherClients.length > 0
      ? [warning('shared_clients', `Redis${at} has other clients (${someOf(otherClients)}). ${ALONE}`)]
      : []),
  ];
}

const ALONE = 'Memory, evictions and long commands are shared with them: give Brume a Redis of its own.';

function replicaWarnings({ replicas }: ProvenServer): StoreWarning[] {
  return replicas.flatMap(({ place, state, lagSeconds, behindBytes }) => {
    const isBehind = lagSeconds > LAG_SECONDS_MAX || behindBytes > BEHIND_BYTES_MAX;
    if (state === 'online' && !isBehind) return [];
    const how = state === 'online' ? `${lagSeconds} s and ${behindBytes} bytes behind` : state;
    const text = `The replica ${place} is ${how}: a failover to it would lose what it has not got.`;
    return [warning('replica_lag', text)];
  });
}

function someOf(names: readonly string[]): string {
  const shown = names.slice(0, NAMED_MAX).map((name) => (name.length > 40 ? `${name.slice(0, 40)}…` : name));
  return names.length > NAMED_MAX
    ? `${shown.join(', ')} and ${names.length - NAMED_MAX} more`
    : shown.join(', ');
}

const warning = (code: string, text: string): StoreWarning => ({ code, text });
