import type { KeyUseRecord } from '../key-uses/key-uses.ts';
import { updateKeyUses } from './api-keys.ts';
import type { Sql } from './sql.ts';

const KEYS_PER_STATEMENT = 500;

/** When keys were last used, in the database. No change: nobody decides by it. */
export class SqlKeyUses implements KeyUseRecord {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async noteUses(uses: ReadonlyMap<string, number>): Promise<void> {
    const entries = [...uses];
    for (let from = 0; from < entries.length; from += KEYS_PER_STATEMENT) {
      const portion = new Map(entries.slice(from, from + KEYS_PER_STATEMENT));
      await this.#sql.transaction((transaction) => updateKeyUses(transaction, portion));
    }
  }
}
