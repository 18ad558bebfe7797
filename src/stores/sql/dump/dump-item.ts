import type { SqlValue } from '../sql.ts';

export const COLUMN_TYPES = ['text', 'integer'] as const;

export interface Column {
  readonly name: string;
  readonly type: (typeof COLUMN_TYPES)[number];
}

/** One row, its values in the order of the table's columns. */
export type DumpedRow = readonly SqlValue[];

/** What a dump is made of: each table is announced before its rows. */
export type DumpItem =
  | { readonly kind: 'table'; readonly table: string; readonly columns: readonly Column[] }
  | { readonly kind: 'rows'; readonly rows: readonly DumpedRow[] };
