import type { SnapshotContents } from '../cache/snapshot-change.ts';
import type { SnapshotTables } from '../cache/snapshot-tables.ts';
import { FORMAT, packed, type SnapshotLine } from './snapshot-lines.ts';

const ROWS_A_LINE = 500;

/** Everything that the tables have, a slice at a time; they may change between two of them. */
export function* baseLines(contents: SnapshotContents, database: string): Generator<SnapshotLine> {
  const { tables, identifierSecret, revision, confirmedAtMs } = contents;
  const secret = Buffer.from(identifierSecret).toString('hex');
  yield { head: { format: FORMAT, database, identifierSecret: secret } };
  for (const projects of portions(projectsOf(tables), (project) => 1 + project.namespaces.length)) {
    yield { projects };
  }
  for (const keys of portions(tables.keys.rows(), () => 1)) yield { keys };
  for (const exceptions of portions(tables.exceptions.rows(), () => 1)) {
    yield { exceptions: exceptions.map(packed) };
  }
  yield { base: { revision, confirmedAtMs } };
}

function* projectsOf({ namespaces }: SnapshotTables) {
  for (const id of namespaces.projectIds()) {
    yield {
      id,
      revision: namespaces.revisionOf(id) ?? 0,
      namespaces: namespaces.rowsOf(id),
      callsPerDay: namespaces.callsPerDayOf(id),
    };
  }
}

function* portions<Row>(rows: Iterable<Row>, weightOf: (row: Row) => number): Generator<Row[]> {
  let portion: Row[] = [];
  let weight = 0;
  for (const row of rows) {
    portion.push(row);
    weight += weightOf(row);
    if (weight < ROWS_A_LINE) continue;
    yield portion;
    portion = [];
    weight = 0;
  }
  if (portion.length > 0) yield portion;
}
