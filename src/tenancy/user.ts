import type { Actor } from './actor.ts';
import type { RefusedSignIns } from './identity/refused-sign-ins.ts';
import type { MemberWriter } from './member-rules.ts';

/** A person. Never known by an e-mail address: by a login here, or by issuer and subject. */
export interface User {
  readonly id: string;
  readonly login: string;
  readonly hasPassword: boolean;
  readonly isDisabled: boolean;
  readonly createdAtMs: number;
  /** Later with every change, and so the version, for If-Match. */
  readonly updatedAtMs: number;
}

/** Who a user is at an identity provider. */
export interface LinkedIdentity {
  readonly issuer: string;
  readonly subject: string;
  readonly createdAtMs: number;
}

export interface Session {
  readonly id: string;
  readonly userId: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  readonly revokedAtMs: number | null;
}

export interface UserChange {
  /** Absent: whoever administers the machine. */
  readonly writer?: MemberWriter | undefined;
  /** Rejects with `precondition_failed` if the user has another version by now. */
  readonly expectedVersion?: number | undefined;
}

/**
 * The port to users, how they prove who they are, and their sessions. Where a writer is given, it is asked
 * in the transaction of the change whether they may, as user-rules.ts says; without one, whoever administers
 * the machine asks. Rejects with BrumeError: forbidden_role, unknown_user, unknown_identity, unknown_session,
 * unknown_invitation, conflict, still_needed, precondition_failed, store_unavailable.
 */
export interface UserStore {
  listUsers(): Promise<User[]>;
  findUser(idOrLogin: string): Promise<User | undefined>;
  /** For sign-in: with the password's hash, null if there is none. */
  findLogin(login: string): Promise<(User & { readonly passwordHash: string | null }) | undefined>;
  findByIdentity(issuer: string, subject: string): Promise<User | undefined>;
  createUser(login: string, actor: Actor): Promise<User>;
  /** By issuer and subject. */
  listIdentities(userId: string): Promise<LinkedIdentity[]>;
  linkIdentity(
    userId: string,
    issuer: string,
    subject: string,
    actor: Actor,
    writer?: MemberWriter,
  ): Promise<void>;
  unlinkIdentity(
    userId: string,
    issuer: string,
    subject: string,
    actor: Actor,
    writer?: MemberWriter,
  ): Promise<void>;
  /** A disabled user has no roles. Sessions end, and for good the tokens and invitations that the user made. */
  disableUser(userId: string, isDisabled: boolean, actor: Actor, options?: UserChange): Promise<User>;
  /** Rejects with `still_needed` if an organisation would be left without an owner. */
  deleteUser(userId: string, actor: Actor, options?: UserChange): Promise<void>;
  /** A link that is good once, until then, and as long as the writer may make it. Earlier ones of the user end. */
  createInvitation(
    userId: string,
    invitation: { readonly sha256: string; readonly expiresAtMs: number },
    actor: Actor,
    writer?: MemberWriter,
  ): Promise<void>;
  /** Uses it up and sets the password, in one step; ends the user's sessions. `from` is for the audit. */
  acceptInvitation(
    sha256: string,
    passwordHash: string,
    from?: Partial<Pick<Actor, 'address' | 'requestId'>>,
  ): Promise<User>;
  /**
   * Sets another password in the place of the one with the hash `from`. Ends links, and all sessions but this
   * one. Rejects with `conflict` if the user has another password by now.
   */
  changePassword(
    userId: string,
    hashes: { readonly from: string; readonly to: string },
    options: { readonly actor: Actor; readonly keptSessionId?: string | undefined },
  ): Promise<void>;
  /** The same password at today's effort; nothing, if the user has another hash by now. No change for the audit. */
  renewPasswordHash(userId: string, from: string, to: string): Promise<void>;
  createSession(
    userId: string,
    session: { readonly id: string; readonly expiresAtMs: number },
    actor: Actor,
  ): Promise<Session>;
  /** Undefined if there is none, it has ended or been revoked, or its user is disabled. */
  liveSession(id: string): Promise<Session | undefined>;
  listSessions(userId: string): Promise<Session[]>;
  revokeSession(userId: string, id: string, actor: Actor, writer?: MemberWriter): Promise<void>;
  /** As the user signs out. Twice is no error: the first time stands. */
  endSession(userId: string, id: string, actor: Actor): Promise<void>;
  revokeSessions(userId: string, actor: Actor, writer?: MemberWriter): Promise<void>;
  /** For the audit only. */
  noteRefusals(refusals: RefusedSignIns): Promise<void>;
}
