import { choiceOf, integerOf, textOf } from './row.ts';
import type { Row, SqlDialect, SqlTransaction } from './sql.ts';

const COUNTER_KINDS = ['embedded', 'redis'] as const;

/** A process that serves from this database. */
export interface Node {
  /** Random, and new at every start. */
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  /** Names the system and the container within which `pid` is a process; empty if nobody could tell. */
  readonly pidSpace: string;
  /** Where it counts: in its own memory, or in a Redis. */
  readonly counters: (typeof COUNTER_KINDS)[number];
}

/** Epoch milliseconds by the database's clock, also within a transaction that has waited. */
const NOW_MS: Readonly<Record<SqlDialect, string>> = {
  postgres: 'cast(extract(epoch from clock_timestamp()) * 1000 as bigint)',
  sqlite: `cast(unixepoch('subsec') * 1000 as integer)`,
};

/** Until the transaction ends nobody else enters; SQLite has it from `begin immediate`. */
export async function lockNodes(transaction: SqlTransaction): Promise<void> {
  if (transaction.dialect === 'postgres') {
    await transaction.script('lock table nodes in share row exclusive mode');
  }
}

export async function insertNode(transaction: SqlTransaction, node: Node): Promise<void> {
  const now = NOW_MS[transaction.dialect];
  await transaction.run(
    `insert into nodes (id, host, pid, pid_space, counters, started_at, seen_at)
     values (?1, ?2, ?3, ?4, ?5, ${now}, ${now})`,
    [node.id, node.host, node.pid, node.pidSpace, node.counters],
  );
}

/** False if it isn't there. */
export async function touchNode(transaction: SqlTransaction, id: string): Promise<boolean> {
  const statement = `update nodes set seen_at = ${NOW_MS[transaction.dialect]} where id = ?1`;
  return (await transaction.run(statement, [id])) === 1;
}

export async function deleteNode(transaction: SqlTransaction, id: string): Promise<void> {
  await transaction.run('delete from nodes where id = ?1', [id]);
}

/** A sign from the future (the database's clock was set back) is as little worth as an old one. */
export async function deleteNodesUnseenFor(transaction: SqlTransaction, ms: number): Promise<void> {
  await transaction.run(`delete from nodes where abs(${NOW_MS[transaction.dialect]} - seen_at) > ?1`, [ms]);
}

/** The oldest first. */
export async function selectNodes(transaction: SqlTransaction): Promise<Node[]> {
  const rows = await transaction.all(
    'select id, host, pid, pid_space, counters from nodes order by started_at, id',
  );
  return rows.map(nodeOf);
}

function nodeOf(row: Row): Node {
  return {
    id: textOf(row, 'id'),
    host: textOf(row, 'host'),
    pid: integerOf(row, 'pid'),
    pidSpace: textOf(row, 'pid_space'),
    counters: choiceOf(row, 'counters', COUNTER_KINDS),
  };
}
