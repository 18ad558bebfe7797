import type { MetricDeclarations } from '../declaration.ts';

export const CONFIGURATION = {
  brume_snapshot_revision: {
    type: 'gauge',
    help: 'Revision of the configuration by which this node decides. Nodes that differ for long do not see the same changes.',
    labels: [],
  },
  brume_snapshot_age_seconds: {
    type: 'gauge',
    help: 'Time since the configuration store last confirmed the configuration by which this node decides.',
    labels: [],
  },
  brume_snapshot_stale: {
    type: 'gauge',
    help: '1 while the configuration store does not confirm the configuration, else 0.',
    labels: [],
  },
  brume_snapshot_namespaces: { type: 'gauge', help: 'Namespaces in the configuration.', labels: [] },
  brume_snapshot_keys: { type: 'gauge', help: 'API keys in the configuration.', labels: [] },
  brume_snapshot_exceptions: {
    type: 'gauge',
    help: 'Overrides, blocks and exemptions in the configuration.',
    labels: [],
  },
  brume_snapshot_bytes: {
    type: 'gauge',
    help: 'Memory that the overrides, blocks and exemptions take, as far as Brume knows it.',
    labels: [],
  },
  brume_snapshot_refresh_failures_total: {
    type: 'counter',
    help: 'Refreshes of the configuration that failed; the last one stayed in use.',
    labels: [],
  },
  brume_snapshot_whole_loads_total: {
    type: 'counter',
    help: 'How often the configuration was read anew as a whole, the first time included; else only changes are read.',
    labels: [],
  },
  brume_snapshot_file_age_seconds: {
    type: 'gauge',
    help: 'Time since the copy of the configuration on disk was last written or confirmed.',
    labels: [],
  },
  brume_snapshot_file_failures_total: {
    type: 'counter',
    help: 'Attempts to write the copy of the configuration on disk that failed.',
    labels: [],
  },
  brume_started_from_snapshot_file: {
    type: 'gauge',
    help: '1 if this process started from the copy on disk, since the configuration store was away, else 0.',
    labels: [],
  },
  brume_change_listener_connected: {
    type: 'gauge',
    help: '1 while PostgreSQL tells this node of changes (LISTEN); at 0 it only polls for them.',
    labels: [],
  },
  brume_change_listener_reconnects_total: {
    type: 'counter',
    help: 'How often the connection that tells of changes was made again.',
    labels: [],
  },
  brume_sql_connections: {
    type: 'gauge',
    help: 'Connections to PostgreSQL, by state: idle or used.',
    labels: ['state'],
  },
  brume_sql_waiting: {
    type: 'gauge',
    help: 'Statements that wait for a connection to PostgreSQL.',
    labels: [],
  },
  brume_sql_write_failures_total: {
    type: 'counter',
    help: 'Transactions that the configuration store failed: it is away, too slow, or can not be written.',
    labels: [],
  },
  brume_sql_read_only: {
    type: 'gauge',
    help: '1 while the configuration store answers, but refuses what is written (its disk is full, it is read-only), else 0.',
    labels: [],
  },
} as const satisfies MetricDeclarations;
