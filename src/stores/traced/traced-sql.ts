import type { SpanMaker } from '../../telemetry/tracing/tracing.ts';
import type { Sql, SqlTransaction } from '../sql/sql.ts';

/** A database whose statements are spans of the requests that made them, where those are recorded. */
export function tracedSql(sql: Sql, spans: SpanMaker): Sql {
  const { dialect } = sql;
  const attributes = { 'db.system.name': dialect === 'postgres' ? 'postgresql' : 'sqlite' };
  const traced = <T>(statement: string, work: () => Promise<T>): Promise<T> =>
    spans.within(spanName(statement), attributes, work);
  const tracedTransaction = (inner: SqlTransaction): SqlTransaction => ({
    dialect,
    all: (statement, parameters) => traced(statement, () => inner.all(statement, parameters)),
    run: (statement, parameters) => traced(statement, () => inner.run(statement, parameters)),
    script: (statements) => inner.script(statements),
  });
  return {
    dialect,
    all: (statement, parameters) => traced(statement, () => sql.all(statement, parameters)),
    transaction: (work, options) =>
      spans.within('sql transaction', attributes, () =>
        sql.transaction((inner) => work(tracedTransaction(inner)), options),
      ),
    close: () => sql.close(),
  };
}

/** `sql select api_keys`: what a statement does, and to which table first. The statement itself stays here. */
function spanName(statement: string): string {
  const [, verb = 'statement'] = /^\s*([a-z]+)/.exec(statement) ?? [];
  const [, table] = /\b(?:from|into|update)\s+([a-z_]+)/.exec(statement) ?? [];
  return table === undefined ? `sql ${verb}` : `sql ${verb} ${table}`;
}
