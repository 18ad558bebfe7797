/** A table that a backup holds, and by which columns its rows are in order. */
export interface DumpedTable {
  readonly name: string;
  readonly key: readonly string[];
  /** Rows that the migrations themselves make, so that no store is without them. */
  readonly givenRows?: number;
}

/** All that is configured and all that must survive; those that others refer to come first. */
export const DUMPED_TABLES: readonly DumpedTable[] = [
  { name: 'installation', key: ['id'], givenRows: 1 },
  { name: 'organisations', key: ['id'], givenRows: 1 },
  { name: 'tiers', key: ['id'] },
  { name: 'users', key: ['id'] },
  { name: 'identities', key: ['issuer', 'subject'] },
  { name: 'members', key: ['organisation_id', 'user_id'] },
  { name: 'sessions', key: ['id'] },
  { name: 'invitations', key: ['sha256'] },
  { name: 'management_tokens', key: ['id'] },
  { name: 'projects', key: ['id'] },
  { name: 'api_keys', key: ['id'] },
  { name: 'namespaces', key: ['id'] },
  { name: 'rule_exceptions', key: ['id'] },
  { name: 'removed_exceptions', key: ['revision', 'namespace_id', 'match_text', 'kind'] },
  { name: 'project_changes', key: ['project_id', 'revision'] },
  { name: 'project_change_items', key: ['project_id', 'revision', 'item'] },
  { name: 'audit', key: ['revision'] },
  { name: 'quota_checkpoints', key: ['state_key', 'name'] },
  { name: 'quota_resets', key: ['state_key'] },
  { name: 'usage', key: ['project_id', 'step', 'start_at', 'namespace', 'key_id'] },
];

/** What belongs to the processes that run, and what the migrations themselves write. */
export const UNDUMPED_TABLES: readonly string[] = ['nodes', 'usage_writers', 'schema_migrations'];

/** The batches of `counters.sqlite` in a backup, beside the tables of the configuration store. */
export const COUNTERS_TABLE: DumpedTable = { name: 'embedded_counters', key: ['id'] };
