import { migrate } from '../../../src/stores/sql/migrate.ts';
import type { Sql, SqlDialect } from '../../../src/stores/sql/sql.ts';
import { SqlAuditStore } from '../../../src/stores/sql/sql-audit-store.ts';
import { SqlExceptionStore } from '../../../src/stores/sql/sql-exception-store.ts';
import { SqlKeyDirectory } from '../../../src/stores/sql/sql-key-directory.ts';
import { SqlKeyUses } from '../../../src/stores/sql/sql-key-uses.ts';
import { SqlManagementTokenStore } from '../../../src/stores/sql/sql-management-token-store.ts';
import { SqlOrganisationStore } from '../../../src/stores/sql/sql-organisation-store.ts';
import { SqlPolicyStore } from '../../../src/stores/sql/sql-policy-store.ts';
import { SqlRulesStore } from '../../../src/stores/sql/sql-rules-store.ts';
import { SqlSnapshotSource } from '../../../src/stores/sql/sql-snapshot-source.ts';
import { SqlTenancyStore } from '../../../src/stores/sql/sql-tenancy-store.ts';
import { SqlTierStore } from '../../../src/stores/sql/sql-tier-store.ts';
import { SqlUsageStore } from '../../../src/stores/sql/sql-usage-store.ts';
import { SqlUserStore } from '../../../src/stores/sql/sql-user-store.ts';
import { ManualClock } from '../../support/counter-engines.ts';
import { openSqlEngine, type SqlEngine } from '../../support/sql-engines.ts';

const CLASSES = [
  SqlTenancyStore,
  SqlPolicyStore,
  SqlExceptionStore,
  SqlRulesStore,
  SqlOrganisationStore,
  SqlUserStore,
  SqlManagementTokenStore,
  SqlTierStore,
  SqlAuditStore,
  SqlUsageStore,
  SqlKeyDirectory,
  SqlKeyUses,
  SqlSnapshotSource,
] as const;

/** Every configuration store on one new database. Knows which of their methods were called. */
export class ConfigurationStores {
  readonly clock = new ManualClock();
  readonly sql: Sql;
  readonly tenancy: SqlTenancyStore;
  readonly policy: SqlPolicyStore;
  readonly exceptions: SqlExceptionStore;
  readonly rules: SqlRulesStore;
  readonly organisations: SqlOrganisationStore;
  readonly users: SqlUserStore;
  readonly tokens: SqlManagementTokenStore;
  readonly tiers: SqlTierStore;
  readonly audit: SqlAuditStore;
  readonly usage: SqlUsageStore;
  readonly keys: SqlKeyDirectory;
  readonly keyUses: SqlKeyUses;
  readonly source: SqlSnapshotSource;
  readonly #engine: SqlEngine;
  readonly #called = new Set<string>();

  private constructor(engine: SqlEngine) {
    const options = { clock: this.clock };
    this.#engine = engine;
    this.sql = engine.sql;
    this.tenancy = this.#watched(new SqlTenancyStore(this.sql, options));
    this.policy = this.#watched(new SqlPolicyStore(this.sql, options));
    this.exceptions = this.#watched(new SqlExceptionStore(this.sql, options));
    this.rules = this.#watched(new SqlRulesStore(this.sql, options));
    this.organisations = this.#watched(new SqlOrganisationStore(this.sql, options));
    this.users = this.#watched(new SqlUserStore(this.sql, options));
    this.tokens = this.#watched(new SqlManagementTokenStore(this.sql, options));
    this.tiers = this.#watched(new SqlTierStore(this.sql, options));
    this.audit = this.#watched(new SqlAuditStore(this.sql, options));
    this.usage = this.#watched(new SqlUsageStore(this.sql, this.clock));
    this.keys = this.#watched(new SqlKeyDirectory(this.sql));
    this.keyUses = this.#watched(new SqlKeyUses(this.sql));
    this.source = this.#watched(new SqlSnapshotSource(this.sql, this.clock));
  }

  static async open(dialect: SqlDialect): Promise<ConfigurationStores> {
    const engine = await openSqlEngine(dialect);
    await migrate(engine.sql);
    return new ConfigurationStores(engine);
  }

  close(): Promise<void> {
    return this.#engine.close();
  }

  async revision(): Promise<number> {
    return (await this.source.installation()).revision;
  }

  /** `SqlPolicyStore.findNamespace`, … that nobody has called. */
  uncalled(): string[] {
    return CLASSES.flatMap(({ name, prototype }) =>
      Object.getOwnPropertyNames(prototype)
        .filter((method) => method !== 'constructor')
        .map((method) => `${name}.${method}`),
    ).filter((method) => !this.#called.has(method));
  }

  #watched<Store extends object>(store: Store): Store {
    return new Proxy(store, {
      get: (target, property) => {
        const value: unknown = Reflect.get(target, property);
        if (typeof value !== 'function') return value;
        this.#called.add(`${target.constructor.name}.${String(property)}`);
        return value.bind(target);
      },
    });
  }
}

/** Gives the stores of the suite at hand; they are opened before its first test. */
export type Opened = () => ConfigurationStores;
