import type { ApiKey, KeyDirectory } from '../../tenancy/api-key.ts';
import { selectKeyByHash } from './api-keys.ts';
import type { Sql } from './sql.ts';

/** Looks keys up in the database, revoked and expired ones too; the cache in front knows the time. */
export class SqlKeyDirectory implements KeyDirectory {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  find(sha256: string): Promise<ApiKey | undefined> {
    return selectKeyByHash(this.#sql, sha256);
  }
}
