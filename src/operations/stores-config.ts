import type { SqlConfig } from '../stores/sql/open-sql.ts';

/** A part of the configuration. */
export interface StoresConfig extends SqlConfig {
  /** Null: the embedded counters in `stateDir` serve. */
  readonly redisUrl: string | null;
}
