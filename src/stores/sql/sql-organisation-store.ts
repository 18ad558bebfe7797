import { BrumeError } from '../../errors/catalogue.ts';
import type { Actor, Versioned } from '../../tenancy/actor.ts';
import { assertMayChangeMember, type MemberWriter } from '../../tenancy/member-rules.ts';
import {
  DEFAULT_ORGANISATION_ID,
  type Member,
  type MemberChange,
  type Organisation,
  type OrganisationStore,
} from '../../tenancy/organisation.ts';
import type { Role } from '../../tenancy/role.ts';
import { assertVersion } from './assert-version.ts';
import { type Change, deedOf } from './change.ts';
import { Changes, type ChangesOptions } from './changes.ts';
import { deleteInvitationsMadeBy } from './invitations.ts';
import { assertNotLastOwner } from './last-owner.ts';
import { laterThan } from './later-than.ts';
import { revokeTokensMadeBy } from './management-tokens.ts';
import {
  deleteMember,
  selectMember,
  selectMembers,
  selectOrganisationsOf,
  selectRole,
  upsertMember,
} from './members.ts';
import {
  countProjectsOf,
  deleteOrganisation,
  insertOrganisation,
  requireOrganisation,
  selectOrganisation,
  selectOrganisations,
  updateOrganisation,
} from './organisations.ts';
import { randomId } from './random-id.ts';
import type { Sql } from './sql.ts';
import { requireUser } from './users.ts';
import { writerRole } from './writer-role.ts';

/** Organisations and their members in the database. */
export class SqlOrganisationStore implements OrganisationStore {
  readonly #sql: Sql;
  readonly #changes: Changes;

  constructor(sql: Sql, options: ChangesOptions = {}) {
    this.#sql = sql;
    this.#changes = new Changes(sql, options);
  }

  listOrganisations(): Promise<Organisation[]> {
    return selectOrganisations(this.#sql);
  }

  organisationsOf(userId: string): Promise<(Organisation & { readonly role: Role })[]> {
    return selectOrganisationsOf(this.#sql, userId);
  }

  findOrganisation(idOrName: string): Promise<Organisation | undefined> {
    return selectOrganisation(this.#sql, idOrName);
  }

  createOrganisation(name: string, actor: Actor, ownerId: string | null = null): Promise<Organisation> {
    return this.#changes.make(actor, async ({ transaction, nowMs }) => {
      const id = randomId('org');
      const value = { id, name, version: 1, createdAtMs: nowMs, updatedAtMs: nowMs };
      const owner = ownerId === null ? undefined : await requireUser(transaction, ownerId);
      await insertOrganisation(transaction, value);
      if (owner !== undefined) {
        const dates = { createdAtMs: nowMs, updatedAtMs: nowMs };
        await upsertMember(transaction, { organisationId: id, userId: owner.id, role: 'owner', ...dates });
      }
      const after = { ...value, owner: owner?.login ?? null };
      return { value, deed: deedOf('organisation.create', name, null, after), organisationId: id };
    });
  }

  renameOrganisation(id: string, name: string, { actor, expectedVersion }: Versioned): Promise<Organisation> {
    return this.#changes.make(actor, async ({ transaction, nowMs }) => {
      const before = await requireOrganisation(transaction, id);
      assertVersion(before, expectedVersion);
      const value = { ...before, name, version: before.version + 1, updatedAtMs: nowMs };
      await updateOrganisation(transaction, value);
      return { value, deed: deedOf('organisation.rename', before.name, before, value), organisationId: id };
    });
  }

  deleteOrganisation(id: string, { actor, expectedVersion }: Versioned): Promise<void> {
    return this.#changes.make(actor, async ({ transaction }) => {
      const before = await requireOrganisation(transaction, id);
      assertVersion(before, expectedVersion);
      if (id === DEFAULT_ORGANISATION_ID) {
        const detail = 'It owns the projects for which no organisation is named, and always stays.';
        throw new BrumeError('still_needed', { detail });
      }
      const projects = await countProjectsOf(transaction, id);
      if (projects > 0) {
        const detail = `It still has projects: ${projects}. Delete them first.`;
        throw new BrumeError('still_needed', { detail });
      }
      await deleteOrganisation(transaction, id);
      const deed = deedOf('organisation.delete', before.name, before, null);
      return { value: undefined, deed, organisationId: id };
    });
  }

  async listMembers(organisationId: string): Promise<Member[]> {
    const members = await selectMembers(this.#sql, organisationId);
    if (members.length === 0) await requireOrganisation(this.#sql, organisationId);
    return members;
  }

  roleOf(organisationId: string, userId: string): Promise<Role | undefined> {
    return selectRole(this.#sql, { organisationId, userId });
  }

  setMember(
    organisationId: string,
    userId: string,
    role: Role,
    actor: Actor,
    { writer, expectedVersion }: MemberChange = {},
  ): Promise<Member> {
    return this.#changes.make(actor, async (change) => {
      const { transaction, nowMs } = change;
      const organisation = await requireOrganisation(transaction, organisationId);
      const { login } = await requireUser(transaction, userId);
      const before = await selectMember(transaction, { organisationId, userId });
      await assertMayWrite(change, { organisationId, writer, roles: [role, before?.role] });
      assertVersion({ version: before?.updatedAtMs }, expectedVersion);
      if (role !== 'owner') await assertNotLastOwner(transaction, userId, organisation.name);
      const createdAtMs = before?.createdAtMs ?? nowMs;
      const updatedAtMs = laterThan(before, nowMs);
      const value = { organisationId, userId, login, role, createdAtMs, updatedAtMs };
      await upsertMember(transaction, value);
      await endInvitationsUnlessOwner(change, value);
      return { value, deed: deedOf('member.set', login, before ?? null, value), organisationId };
    });
  }

  removeMember(
    organisationId: string,
    userId: string,
    actor: Actor,
    { writer, expectedVersion }: MemberChange = {},
  ): Promise<void> {
    return this.#changes.make(actor, async (change) => {
      const { transaction, nowMs } = change;
      const organisation = await requireOrganisation(transaction, organisationId);
      const before = await selectMember(transaction, { organisationId, userId });
      await assertMayWrite(change, { organisationId, writer, roles: [before?.role] });
      if (before === undefined) throw new BrumeError('unknown_member');
      assertVersion({ version: before.updatedAtMs }, expectedVersion);
      await assertNotLastOwner(transaction, userId, organisation.name);
      await deleteMember(transaction, before);
      await revokeTokensMadeBy(transaction, { userId, organisationId }, nowMs);
      await endInvitationsUnlessOwner(change, { organisationId, userId });
      const deed = deedOf('member.remove', before.login, before, null);
      return { value: undefined, deed, organisationId };
    });
  }
}

async function assertMayWrite(
  change: Change,
  {
    organisationId,
    writer,
    roles,
  }: {
    readonly organisationId: string;
    readonly writer: MemberWriter | undefined;
    readonly roles: readonly (Role | undefined)[];
  },
): Promise<void> {
  if (writer === undefined) return;
  assertMayChangeMember(await writerRole(change, organisationId, writer), roles);
}

/** Only owners of the default organisation invite: with the role go the links that are still out. */
async function endInvitationsUnlessOwner(
  { transaction }: Pick<Change, 'transaction'>,
  { organisationId, userId, role }: Pick<Member, 'organisationId' | 'userId'> & { readonly role?: Role },
): Promise<void> {
  if (organisationId !== DEFAULT_ORGANISATION_ID || role === 'owner') return;
  await deleteInvitationsMadeBy(transaction, userId);
}
