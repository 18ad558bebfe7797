import type { Actor, Versioned } from './actor.ts';
import type { MemberWriter } from './member-rules.ts';
import type { Role } from './role.ts';

/** The organisation that is always there: it owns the projects for which no other is named. */
export const DEFAULT_ORGANISATION_ID = 'org_default';

/** Owns projects. Version rises by one with every change, for If-Match. */
export interface Organisation {
  readonly id: string;
  readonly name: string;
  readonly version: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

export interface Member {
  readonly organisationId: string;
  readonly userId: string;
  readonly login: string;
  readonly role: Role;
  readonly createdAtMs: number;
  /** Later with every change, and so the version, for If-Match. */
  readonly updatedAtMs: number;
}

export interface MemberChange {
  /** Absent: whoever administers the machine. */
  readonly writer?: MemberWriter | undefined;
  /** Rejects with `precondition_failed` if the membership has another version by now, or is not there. */
  readonly expectedVersion?: number | undefined;
}

/**
 * The port to organisations and their members. Every method is durable when it resolves and has changed
 * nothing when it rejects. Rejects with BrumeError: unknown_organisation, unknown_user, unknown_member,
 * conflict (the name is taken), still_needed (it has projects; the last owner), precondition_failed,
 * store_unavailable. Who was an owner and is disabled doesn't count as one.
 */
export interface OrganisationStore {
  listOrganisations(): Promise<Organisation[]>;
  /** Those that the user is a member of, with the role. */
  organisationsOf(userId: string): Promise<(Organisation & { readonly role: Role })[]>;
  findOrganisation(idOrName: string): Promise<Organisation | undefined>;
  /** With this user as its owner; without one only who administers the machine reaches it. */
  createOrganisation(name: string, actor: Actor, ownerId?: string | null): Promise<Organisation>;
  renameOrganisation(id: string, name: string, options: Versioned): Promise<Organisation>;
  /** Takes its members and tokens with it. Never the default one. */
  deleteOrganisation(id: string, options: Versioned): Promise<void>;
  /** By login. */
  listMembers(organisationId: string): Promise<Member[]>;
  /** Read at each request: undefined for who is no member, or disabled. */
  roleOf(organisationId: string, userId: string): Promise<Role | undefined>;
  /**
   * Adds a member, or changes the role. The writer's own role is read in the transaction of the change, which
   * is refused as `assertMayChangeMember` says; without a writer, whoever administers the machine asks.
   */
  setMember(
    organisationId: string,
    userId: string,
    role: Role,
    actor: Actor,
    options?: MemberChange,
  ): Promise<Member>;
  /** With the options as for `setMember`. */
  removeMember(organisationId: string, userId: string, actor: Actor, options?: MemberChange): Promise<void>;
}
