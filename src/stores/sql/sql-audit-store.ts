import type { AuditEntry, AuditQuery, AuditStore } from '../../tenancy/audit.ts';
import { selectAudit } from './audit.ts';
import type { Sql } from './sql.ts';

/** The record of all changes in the database, written by Changes. */
export class SqlAuditStore implements AuditStore {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  listAudit(query: AuditQuery): Promise<readonly AuditEntry[]> {
    return selectAudit(this.#sql, query);
  }
}
