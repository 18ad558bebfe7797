import type { StoreWarning } from '../store-warning.ts';
import { schemaState } from './migrate.ts';
import { PostgresSql } from './postgres-sql.ts';
import { integerOf, textOf } from './row.ts';

export interface ProvenPostgres {
  /** `16.4` */
  readonly version: string;
  readonly role: 'primary' | 'standby';
  readonly isEncrypted: boolean;
  /** How far its clock is ahead of this machine's; negative: behind. */
  readonly clockAheadMs: number;
  /** Names of migrations that the next start applies. */
  readonly pending: readonly string[];
  readonly warnings: readonly StoreWarning[];
}

const CLOCKS_APART_MS_MAX = 1000;
const NO_LOG = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Connects, and looks; changes nothing. Rejects with BrumeError or SchemaError where it can't be used. */
export async function provePostgres(options: {
  readonly databaseUrl: string;
  readonly timeoutMs: number;
}): Promise<ProvenPostgres> {
  const sql = new PostgresSql({ ...options, log: NO_LOG });
  try {
    // First, so that what is timed is not the connecting.
    const { pending } = await schemaState(sql);
    const sentMs = Date.now();
    const [row = {}] = await sql.all(
      `select current_setting('server_version') as version,
              case when pg_is_in_recovery() then 1 else 0 end as is_standby,
              case when exists (select 1 from pg_stat_ssl where pid = pg_backend_pid() and ssl) then 1 else 0 end as is_encrypted,
              floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now_ms`,
    );
    const clockAheadMs = Math.round(integerOf(row, 'now_ms') - (sentMs + Date.now()) / 2);
    const role = integerOf(row, 'is_standby') === 1 ? 'standby' : 'primary';
    return {
      version: textOf(row, 'version'),
      role,
      isEncrypted: integerOf(row, 'is_encrypted') === 1,
      clockAheadMs,
      pending: pending.map(({ name }) => name),
      warnings: warningsOf(role, clockAheadMs),
    };
  } finally {
    await sql.close();
  }
}

function warningsOf(role: 'primary' | 'standby', clockAheadMs: number): StoreWarning[] {
  return [
    ...(role === 'standby'
      ? [{ code: 'standby', text: 'PostgreSQL is a standby: verdicts go on, and nothing can be configured.' }]
      : []),
    ...(Math.abs(clockAheadMs) > CLOCKS_APART_MS_MAX
      ? [
          {
            code: 'clock_apart',
            text: `The clock of PostgreSQL is ${(Math.abs(clockAheadMs) / 1000).toFixed(1)} s ${clockAheadMs > 0 ? 'ahead of' : 'behind'} this machine's. Set the clocks (chrony, systemd-timesyncd).`,
          },
        ]
      : []),
  ];
}
