import { COLUMN_TYPES, type Column, type DumpedRow } from '../../stores/sql/dump/dump-item.ts';
import type { DumpedMigration } from '../../stores/sql/dump/dumped-schema.ts';
import { BACKUP_FORMAT, type BackupHeader, type RowCounts } from './backup-header.ts';

/** Readers of the lines of a backup: undefined where a line is not of the kind. */
type Members = Readonly<Record<string, unknown>>;

/** Throws SyntaxError where it is no JSON. */
export function parsedLine(line: string): unknown {
  return JSON.parse(line);
}

export function readHeader(value: unknown): BackupHeader | undefined {
  if (!isObject(value) || value.format !== BACKUP_FORMAT || !isCount(value.version)) return undefined;
  const { version, brume, createdAt, schema, stores, countersFormat } = value;
  if (typeof brume !== 'string' || typeof createdAt !== 'string' || !isObject(stores)) return undefined;
  if (Number.isNaN(Date.parse(createdAt)) || !isCount(countersFormat)) return undefined;
  if (!Array.isArray(schema) || schema.length === 0 || !schema.every(isMigration)) return undefined;
  const configuration = stores.configuration === 'postgres' ? 'postgres' : 'sqlite';
  const counters = stores.counters === 'redis' ? 'redis' : 'embedded';
  return {
    format: BACKUP_FORMAT,
    version,
    brume,
    createdAt,
    schema,
    stores: { configuration, counters },
    countersFormat,
  };
}

export function readColumns(
  value: unknown,
): { readonly table: string; readonly columns: readonly Column[] } | undefined {
  if (!isObject(value) || typeof value.table !== 'string' || !Array.isArray(value.columns)) return undefined;
  if (!isName(value.table)) return undefined;
  const columns: Column[] = [];
  for (const column of value.columns) {
    const [name, given] = Array.isArray(column) ? column : [];
    const type = COLUMN_TYPES.find((known) => known === given);
    if (typeof name !== 'string' || !isName(name) || type === undefined) return undefined;
    columns.push({ name, type });
  }
  return { table: value.table, columns };
}

export function readRow(value: unknown, columns: readonly Column[]): DumpedRow | undefined {
  if (!Array.isArray(value) || value.length !== columns.length) return undefined;
  const isSound = columns.every(({ type }, index) => {
    const field: unknown = value[index];
    if (field === null) return true;
    return type === 'text' ? typeof field === 'string' : Number.isSafeInteger(field);
  });
  return isSound ? value : undefined;
}

export function readEnd(value: unknown): { rows: RowCounts; sha256: string } | undefined {
  if (!isObject(value) || value.end !== true || typeof value.sha256 !== 'string') return undefined;
  const { rows } = value;
  if (!isObject(rows)) return undefined;
  const counts = Object.entries(rows).filter((entry): entry is [string, number] => isCount(entry[1]));
  return { rows: Object.fromEntries(counts), sha256: value.sha256 };
}

function isMigration(value: unknown): value is DumpedMigration {
  if (!isObject(value)) return false;
  const { version, name, sha256, isBreaking } = value;
  return (
    isCount(version) &&
    typeof name === 'string' &&
    typeof sha256 === 'string' &&
    typeof isBreaking === 'boolean'
  );
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/** It becomes part of a statement. */
function isName(text: string): boolean {
  return /^[a-z][a-z0-9_]{0,62}$/.test(text);
}
