import { type Clock, systemClock } from '../../limiter/clock.ts';
import {
  EmptyStore,
  type RemovedException,
  type SnapshotSource,
  type StoredException,
  type StoredKey,
} from '../cache/snapshot-source.ts';
import { selectUsableKeysChangedAfter } from './api-keys.ts';
import { selectRevisedAt } from './audit.ts';
import { selectExceptionsChangedAfter } from './exceptions.ts';
import { isRestoring } from './held-installation.ts';
import { findInstallationIfAny, type Installation } from './installation.ts';
import { type NamespaceRow, selectNamespacesChangedAfter } from './namespaces.ts';
import { selectProjectRevisions } from './projects.ts';
import { selectRemovedAfter } from './removed-exceptions.ts';
import type { Sql } from './sql.ts';
import { selectBudgetsChangedAfter } from './tiers.ts';

/** The database as the snapshot reads it. */
export class SqlSnapshotSource implements SnapshotSource {
  readonly #sql: Sql;
  readonly #clock: Pick<Clock, 'nowMs'>;

  constructor(sql: Sql, clock: Pick<Clock, 'nowMs'> = systemClock) {
    this.#sql = sql;
    this.#clock = clock;
  }

  async installation(): Promise<Installation> {
    const installation = await findInstallationIfAny(this.#sql);
    if (installation === undefined) throw new EmptyStore('the database is empty');
    return installation;
  }

  revisedAtMs(revision: number): Promise<number | null> {
    return selectRevisedAt(this.#sql, revision);
  }

  async isWhole(): Promise<boolean> {
    return !(await isRestoring(this.#sql));
  }

  projectRevisions(): Promise<ReadonlyMap<string, number>> {
    return selectProjectRevisions(this.#sql);
  }

  namespacesChangedAfter(revision: number): Promise<readonly NamespaceRow[]> {
    return selectNamespacesChangedAfter(this.#sql, revision);
  }

  budgetsChangedAfter(revision: number): Promise<ReadonlyMap<string, number>> {
    return selectBudgetsChangedAfter(this.#sql, revision);
  }

  keysChangedAfter(revision: number): Promise<readonly StoredKey[]> {
    return selectUsableKeysChangedAfter(this.#sql, revision, this.#clock.nowMs());
  }

  exceptionsChangedAfter(
    revision: number,
    page: { readonly after?: Pick<StoredException, 'revision' | 'id'>; readonly pageSize: number },
  ): Promise<readonly StoredException[]> {
    return selectExceptionsChangedAfter(this.#sql, revision, page);
  }

  exceptionsRemovedAfter(revision: number): Promise<readonly RemovedException[]> {
    return selectRemovedAfter(this.#sql, revision);
  }
}
