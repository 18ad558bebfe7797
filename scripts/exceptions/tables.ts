import type { ExceptionRow } from '../../src/stores/cache/exception-rows.ts';
import { ExceptionTable } from '../../src/stores/cache/exception-table/exception-table.ts';

export const NAMESPACE_ID = 'ns_0123456789abcdef0123';
export const NOW_MS = 1_800_000_000_000;

/** Something that holds exceptions of one namespace. */
export interface Table {
  put(row: ExceptionRow): void;
  /** True if something is in force. */
  has(subject: string): boolean;
  readonly bytes: number | undefined;
}

export function compactTable(): Table {
  const table = new ExceptionTable();
  return {
    put: (row) => table.upsert(row),
    has: (subject) => table.find(NAMESPACE_ID, 'text', subject, NOW_MS) !== undefined,
    get bytes() {
      return table.bytes;
    },
  };
}

/** What anybody would write first: as good as it can be, with no more members than are needed. */
export function mapOfObjects(): Table {
  const rows = new Map<string, { kind: string; untilMs: number; limitsText: string | null }>();
  return {
    put: ({ match, kind, expiresAtMs, limitsText }) => {
      rows.set(match, { kind, untilMs: expiresAtMs ?? Number.POSITIVE_INFINITY, limitsText });
    },
    has: (subject) => {
      const row = rows.get(subject);
      return row !== undefined && NOW_MS < row.untilMs;
    },
    bytes: undefined,
  };
}

/** An override of an identifier of 20 characters; one in two has an end, and ten have the same limits. */
export function overrideAt(index: number): ExceptionRow {
  return {
    namespaceId: NAMESPACE_ID,
    kind: 'override',
    form: 'exact',
    match: identifierAt(index),
    limitsText: `[{"name":"minute","limit":${100 * (index % 10)}}]`,
    createdAtMs: NOW_MS - index,
    expiresAtMs: index % 2 === 0 ? null : NOW_MS + 3_600_000 + index,
  };
}

/** Made anew each time, as a string that came over the network is: no hash is known of it. */
export function identifierAt(index: number): string {
  return `user-${Math.imul(index, 0x9e3779b1).toString(16).padStart(9, '0')}${String(index % 1_000_000).padStart(6, '0')}`;
}
