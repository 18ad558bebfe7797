import { BrumeError } from '../../errors/catalogue.ts';
import type { Actor, Versioned } from '../../tenancy/actor.ts';
import type { Project } from '../../tenancy/project.ts';
import type { Tier, TierStore } from '../../tenancy/tier.ts';
import { assertVersion } from './assert-version.ts';
import { deedOf } from './change.ts';
import { Changes, type ChangesOptions } from './changes.ts';
import { updateProjectTier } from './projects.ts';
import { randomId } from './random-id.ts';
import type { Sql } from './sql.ts';
import { requireProject } from './sql-tenancy-store.ts';
import {
  countProjectsWith,
  deleteTier,
  insertTier,
  requireTier,
  selectTier,
  selectTiers,
  setRevisionOfProjectsWith,
  updateTier,
} from './tiers.ts';

/** Tiers in the database. */
export class SqlTierStore implements TierStore {
  readonly #sql: Sql;
  readonly #changes: Changes;

  constructor(sql: Sql, options: ChangesOptions = {}) {
    this.#sql = sql;
    this.#changes = new Changes(sql, options);
  }

  listTiers(): Promise<Tier[]> {
    return selectTiers(this.#sql);
  }

  findTier(idOrName: string): Promise<Tier | undefined> {
    return selectTier(this.#sql, idOrName);
  }

  createTier({ name, callsPerDay }: Pick<Tier, 'name' | 'callsPerDay'>, actor: Actor): Promise<Tier> {
    return this.#changes.make(actor, async ({ transaction, nowMs }) => {
      const times = { createdAtMs: nowMs, updatedAtMs: nowMs };
      const value = { id: randomId('tier'), name, callsPerDay, version: 1, ...times };
      await insertTier(transaction, value);
      return { value, deed: deedOf('tier.create', name, null, value) };
    });
  }

  updateTier(
    id: string,
    { name, callsPerDay }: Pick<Tier, 'name' | 'callsPerDay'>,
    { actor, expectedVersion }: Versioned,
  ): Promise<Tier> {
    return this.#changes.make(actor, async ({ transaction, revision, nowMs }) => {
      const before = await requireTier(transaction, id);
      assertVersion(before, expectedVersion);
      const value = { ...before, name, callsPerDay, version: before.version + 1, updatedAtMs: nowMs };
      await updateTier(transaction, value);
      await setRevisionOfProjectsWith(transaction, id, revision);
      return { value, deed: deedOf('tier.update', before.name, before, value) };
    });
  }

  deleteTier(id: string, { actor, expectedVersion }: Versioned): Promise<void> {
    return this.#changes.make(actor, async ({ transaction }) => {
      const before = await requireTier(transaction, id);
      assertVersion(before, expectedVersion);
      const projects = await countProjectsWith(transaction, id);
      if (projects > 0) {
        const detail = `Projects still have it: ${projects}. Give them another tier, or none, first.`;
        throw new BrumeError('still_needed', { detail });
      }
      await deleteTier(transaction, id);
      return { value: undefined, deed: deedOf('tier.delete', before.name, before, null) };
    });
  }

  setProjectTier(
    projectId: string,
    tierId: string | null,
    { actor, expectedVersion }: Versioned,
  ): Promise<Project> {
    return this.#changes.makeIn(projectId, actor, async ({ transaction, nowMs }) => {
      const before = await requireProject(transaction, projectId);
      assertVersion(before, expectedVersion);
      if (tierId !== null) await requireTier(transaction, tierId);
      const value = { ...before, tierId, version: before.version + 1, updatedAtMs: nowMs };
      await updateProjectTier(transaction, value);
      return { value, deed: deedOf('project.tier', before.name, before, value) };
    });
  }
}
