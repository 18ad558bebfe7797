import type { StoreWarning } from '../../stores/store-warning.ts';
import type { StoreProof } from '../prove-stores.ts';
import { type CheckName, type Finding, tellerOf } from './finding.ts';

const CLOCKS = 'Set the clocks of all machines by NTP: chrony, or systemd-timesyncd.';
const OWN_REDIS = 'Give Brume a Redis of its own: brume help redis-server.';
const RIGHTS = 'Give the user what brume help redis-server lists.';

/** Which check a warning of a store belongs to, and what to do about it. */
const WARNINGS: Readonly<
  Record<string, { readonly check: CheckName; readonly remedy: string; readonly isFailure?: true }>
> = {
  // Against it no limit holds.
  eviction_policy: {
    check: 'redis-policy',
    remedy:
      'Set maxmemory-policy noeviction in redis.conf, and at once with: redis-cli config set maxmemory-policy noeviction.',
    isFailure: true,
  },
  no_persistence: {
    check: 'redis-policy',
    remedy: 'Set appendonly yes in redis.conf where windows are long.',
  },
  shared_keys: { check: 'redis-policy', remedy: OWN_REDIS },
  shared_databases: { check: 'redis-policy', remedy: OWN_REDIS },
  shared_clients: { check: 'redis-policy', remedy: OWN_REDIS },
  persistence_unknown: {
    check: 'redis-policy',
    remedy: 'Set appendonly yes in redis.conf where windows are long, or let the user ask: +config|get.',
  },
  slow: {
    check: 'stores',
    remedy:
      'Raise BRUME_REDIS_TIMEOUT_MS above that, or run Redis nearer to this node, or on a machine with less to do.',
    isFailure: true,
  },
  memory_nearly_full: { check: 'redis-policy', remedy: 'Raise maxmemory in redis.conf.' },
  missing_rights: { check: 'redis-policy', remedy: RIGHTS },
  clock_apart: { check: 'clocks', remedy: CLOCKS },
  standby: { check: 'stores', remedy: 'Name the primary in BRUME_DATABASE_URL.' },
  slots_away: {
    check: 'stores',
    remedy: 'Give them to a master: redis-cli --cluster fix, or bring back the node that had them.',
    isFailure: true,
  },
  no_replica: { check: 'stores', remedy: 'Give each master a replica: brume help redis-server.' },
  few_sentinels: { check: 'stores', remedy: 'Run at least three Sentinels: brume help redis-server.' },
  sentinel_away: {
    check: 'stores',
    remedy: 'Do what stands there. If it is away, start that Sentinel, or remove it from BRUME_REDIS_URL.',
  },
  replica_lag: {
    check: 'stores',
    remedy: 'Look at the replica: INFO replication on the master shows how far it is.',
  },
};

/** How some warnings end. */
const MENDING =
  / (Raise it, or run Redis nearer|Set maxmemory-policy noeviction|Set appendonly yes where windows are long|Raise maxmemory|Give them to a master: redis-cli --cluster fix)\.$/;

/** What the looks at PostgreSQL and Redis come to. */
export function proofFindings(proofs: readonly StoreProof[]): Finding[] {
  return proofs.flatMap((proof) => [
    stateOf(proof),
    ...proof.warnings.map(warningOf),
    ...policyOf(proof),
    ...schemaOf(proof),
    ...clockOf(proof),
  ]);
}

function stateOf({ setting, isUsable, fault, faultCode, remedy, postgres, redis }: StoreProof): Finding {
  const tell = tellerOf('stores');
  if (faultCode === 'schema')
    return tellerOf('schema').failure(
      `${setting}: ${fault}`,
      'Install the newer Brume, or restore a backup from before it: brume help backups.',
    );
  if (faultCode === 'rights') return tellerOf('redis-policy').failure(`${setting}: ${fault}`, RIGHTS);
  if (!isUsable)
    return tell.failure(
      `${setting}: it can't be used: ${fault}.`.replace(/\.\.$/, '.'),
      remedy === null
        ? `See whether the server runs and lets this machine in, and whether ${setting} is right: brume check-config --connect.`
        : `${remedy}.`,
    );
  if (postgres !== null) return tell.ok(`${setting}: PostgreSQL ${postgres.version}, ${postgres.role}.`);
  const servers = redis?.servers.map(({ version, place }) => `${version} at ${place}`) ?? [];
  return tell.ok(`${setting}: ${servers.join(', ')}.`);
}

function warningOf({ code, text: whole }: StoreWarning): Finding {
  const { check, remedy, isFailure } = WARNINGS[code] ?? {
    check: 'stores',
    remedy: 'See brume check-config --connect.',
  };
  const tell = tellerOf(check);
  // Where only a warning is shown, it ends with how to mend it; here the remedy says so, and more.
  const text = whole.replace(MENDING, '');
  return isFailure === true ? tell.failure(text, remedy) : tell.warning(text, remedy);
}

function policyOf({ redis, warnings }: StoreProof): Finding[] {
  const tell = tellerOf('redis-policy');
  return (redis?.servers ?? []).flatMap(({ place, memory: { policy } }) => {
    if (policy === undefined)
      return [
        tell.unseen(
          `Redis at ${place} does not tell its maxmemory-policy.`,
          'Let its user run INFO: brume help redis-server.',
        ),
      ];
    const isBad = warnings.some(({ code }) => WARNINGS[code]?.check === 'redis-policy');
    return isBad ? [] : [tell.ok(`Redis at ${place}: maxmemory-policy ${policy}.`)];
  });
}

function schemaOf({ setting, postgres }: StoreProof): Finding[] {
  if (postgres === null || setting !== 'BRUME_DATABASE_URL') return [];
  return [pendingFinding(`PostgreSQL`, postgres.pending)];
}

/** What the next start has to do to a schema. */
export function pendingFinding(store: string, pending: readonly string[]): Finding {
  const tell = tellerOf('schema');
  if (pending.length === 0) return tell.ok(`${store}: the schema is up to date.`);
  return tell.ok(`${store}: the next start, or brume migrate, applies ${pending.join(', ')}.`);
}

function clockOf({ postgres, redis, warnings, setting }: StoreProof): Finding[] {
  if (setting === 'BRUME_DATABASE_LISTEN_URL' || warnings.some(({ code }) => code === 'clock_apart'))
    return [];
  const tell = tellerOf('clocks');
  const apart = [
    ...(postgres === null ? [] : [['PostgreSQL', postgres.clockAheadMs] as const]),
    ...(redis?.servers ?? []).map(({ place, clockAheadMs }) => [`Redis at ${place}`, clockAheadMs] as const),
  ];
  return apart.map(([who, aheadMs]) =>
    tell.ok(`${who}: its clock and this machine's are ${Math.abs(aheadMs)} ms apart.`),
  );
}
