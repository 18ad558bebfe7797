import { counted } from '../../errors/counted.ts';
import type { BackupSummary } from '../../operations/backup/backup-header.ts';

export function backupJson({ header, rows }: BackupSummary) {
  const { version, brume, createdAt, schema, stores } = header;
  const schemaVersion = schema.at(-1)?.version ?? 0;
  return { version, brume, createdAt, schema: schemaVersion, stores, rows };
}

export function backupText(done: string, { header, rows }: BackupSummary): string {
  const { brume, createdAt, schema, stores } = header;
  const origin = `Made ${createdAt} by Brume ${brume}, schema ${schema.at(-1)?.version ?? 0}, of ${stores.configuration}`;
  const counters =
    stores.counters === 'redis'
      ? ['The counters are in Redis and no part of it; quotas are, as of their last checkpoint.']
      : [];
  return [`${done}: ${countsText(rows)}.`, `${origin}.`, ...counters].join('\n');
}

/** `2 projects, 3 api keys, …`; what there is none of is left out. */
export function countsText(rows: Readonly<Record<string, number>>): string {
  const counts = Object.entries(rows)
    .filter(([table, count]) => count > 0 && table !== 'installation')
    .map(([table, count]) => counted(count, ...nounOf(table)));
  return counts.length === 0 ? 'an installation with nothing in it' : counts.join(', ');
}

/** Of one row of a table, and of several where that isn't the noun and an s. */
const NOUNS: Readonly<Record<string, readonly [noun: string, plural?: string]>> = {
  identities: ['identity', 'identities'],
  rule_exceptions: ['exception'],
  project_changes: ['change'],
  project_change_items: ['item of changes', 'items of changes'],
  audit: ['entry of the audit', 'entries of the audit'],
  usage: ['row of usage', 'rows of usage'],
  embedded_counters: ['batch of counters', 'batches of counters'],
};

/** Tables are named in the plural: `api_keys`. */
function nounOf(table: string): readonly [noun: string, plural?: string] {
  return NOUNS[table] ?? [table.replaceAll('_', ' ').replace(/s$/, '')];
}
