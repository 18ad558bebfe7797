import { BrumeError } from '../../errors/catalogue.ts';
import type { Actor } from '../../tenancy/actor.ts';
import type { AuditEntry, AuditQuery, AuditStore } from '../../tenancy/audit.ts';
import type { AuditAges } from '../audit-pruning/audit-pruner.ts';
import { selectAudit } from './audit.ts';
import {
  countAuditBefore,
  deleteOldAudit,
  lockPruning,
  raiseAuditKeptFrom,
  selectAuditKeptFrom,
} from './audit-pruning.ts';
import { deedOf } from './change.ts';
import { Changes, type ChangesOptions } from './changes.ts';
import type { Sql } from './sql.ts';

/** As the audit names Brume itself. */
const BRUME: Actor = { name: 'brume', address: null, requestId: null };

/** The record of all changes in the database, written by Changes. */
export class SqlAuditStore implements AuditStore, AuditAges {
  readonly #sql: Sql;
  readonly #changes: Changes;

  constructor(sql: Sql, options: ChangesOptions = {}) {
    this.#sql = sql;
    this.#changes = new Changes(sql, options);
  }

  listAudit(query: AuditQuery): Promise<readonly AuditEntry[]> {
    return selectAudit(this.#sql, query);
  }

  async ageAudit(beforeMs: number): Promise<void> {
    if (beforeMs <= (await selectAuditKeptFrom(this.#sql))) return;
    const entries = await countAuditBefore(this.#sql, beforeMs);
    if (entries === 0) return;
    try {
      await this.#changes.make(BRUME, async ({ transaction }) => {
        // Another node may have been first.
        if (!(await raiseAuditKeptFrom(transaction, beforeMs))) throw new BrumeError('conflict');
        const after = { removedBefore: new Date(beforeMs).toISOString(), entries };
        return { value: undefined, deed: deedOf('audit.prune', 'audit', null, after) };
      });
    } catch (error) {
      if (!(error instanceof BrumeError && error.code === 'conflict')) throw error;
    }
  }

  pruneAudit(limit: number): Promise<number> {
    return this.#sql.transaction(async (transaction) =>
      (await lockPruning(transaction)) ? deleteOldAudit(transaction, limit) : 0,
    );
  }
}
