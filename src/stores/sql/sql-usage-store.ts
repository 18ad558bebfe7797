import type { Clock } from '../../limiter/clock.ts';
import type { UsageQuery, UsageRow, UsageStore } from '../../tenancy/usage.ts';
import type { UsageAges, UsageBatch, UsageRecord } from '../usage/usage-record.ts';
import type { Sql } from './sql.ts';
import { addToUsage, advanceWriter, deleteOldUsage, deleteOldWriters, selectUsage } from './usage.ts';

/** Usage in the database. No change: nobody decides by it. */
export class SqlUsageStore implements UsageStore, UsageRecord {
  readonly #sql: Sql;
  readonly #clock: Pick<Clock, 'nowMs'>;

  constructor(sql: Sql, clock: Pick<Clock, 'nowMs'>) {
    this.#sql = sql;
    this.#clock = clock;
  }

  listUsage(query: UsageQuery): Promise<readonly UsageRow[]> {
    return selectUsage(this.#sql, query);
  }

  addUsage({ tallies, ...batch }: UsageBatch): Promise<void> {
    return this.#sql.transaction(async (transaction) => {
      const isNew = await advanceWriter(transaction, { ...batch, nowMs: this.#clock.nowMs() });
      if (isNew) await addToUsage(transaction, tallies);
    });
  }

  pruneUsage({ hoursMs, daysMs, writersMs, limit }: UsageAges): Promise<boolean> {
    return this.#sql.transaction(async (transaction) => {
      const hours = await deleteOldUsage(transaction, { step: 'hour', beforeMs: hoursMs, limit });
      const days = await deleteOldUsage(transaction, { step: 'day', beforeMs: daysMs, limit });
      const writers = await deleteOldWriters(transaction, { beforeMs: writersMs, limit });
      return [hours, days, writers].includes(limit);
    });
  }
}
