import { BrumeError } from '../../errors/catalogue.ts';
import { type Clock, systemClock } from '../../limiter/clock.ts';
import type { Actor } from '../../tenancy/actor.ts';
import type { RefusedSignIns } from '../../tenancy/identity/refused-sign-ins.ts';
import type { MemberWriter } from '../../tenancy/member-rules.ts';
import type { LinkedIdentity, Session, User, UserChange, UserStore } from '../../tenancy/user.ts';
import { assertVersion } from './assert-version.ts';
import { deedOf } from './change.ts';
import { Changes, type ChangesOptions } from './changes.ts';
import { deleteIdentity, insertIdentity, selectIdentities } from './identities.ts';
import {
  deleteInvitations,
  deleteInvitationsMadeBy,
  insertInvitation,
  selectInvited,
  useInvitation,
} from './invitations.ts';
import { assertNotLastOwner } from './last-owner.ts';
import { laterThan } from './later-than.ts';
import { revokeTokensMadeBy } from './management-tokens.ts';
import { randomId } from './random-id.ts';
import {
  deleteEndedSessions,
  insertSession,
  revokeSession,
  revokeSessions,
  selectLiveSession,
  selectSessions,
} from './sessions.ts';
import type { Sql } from './sql.ts';
import { assertMakerStillMay, assertMayAdmit, assertMayRestrict } from './user-writer.ts';
import {
  deleteUser,
  insertUser,
  replacePasswordHash,
  requireUser,
  selectLogin,
  selectUser,
  selectUserByIdentity,
  selectUsers,
  updateIsDisabled,
  updatePassword,
} from './users.ts';

/** No login looks like it. */
const UNKNOWN_LOGIN = '(unknown)';

/** Users, how they prove who they are, and their sessions, in the database. */
export class SqlUserStore implements UserStore {
  readonly #sql: Sql;
  readonly #clock: Clock;
  readonly #changes: Changes;

  constructor(sql: Sql, options: ChangesOptions = {}) {
    this.#sql = sql;
    this.#clock = options.clock ?? systemClock;
    this.#changes = new Changes(sql, options);
  }

  listUsers(): Promise<User[]> {
    return selectUsers(this.#sql);
  }

  findUser(idOrLogin: string): Promise<User | undefined> {
    return selectUser(this.#sql, idOrLogin);
  }

  findLogin(login: string): Promise<(User & { readonly passwordHash: string | null }) | undefined> {
    return selectLogin(this.#sql, login);
  }

  findByIdentity(issuer: string, subject: string): Promise<User | undefined> {
    return selectUserByIdentity(this.#sql, issuer, subject);
  }

  createUser(login: string, actor: Actor): Promise<User> {
    return this.#changes.make(actor, async ({ transaction, nowMs }) => {
      const made = { id: randomId('usr'), login, createdAtMs: nowMs };
      await insertUser(transaction, made);
      const value = { ...made, hasPassword: false, isDisabled: false, updatedAtMs: nowMs };
      return { value, deed: deedOf('user.create', login, null, value) };
    });
  }

  async listIdentities(userId: string): Promise<LinkedIdentity[]> {
    const identities = await selectIdentities(this.#sql, userId);
    if (identities.length === 0) await requireUser(this.#sql, userId);
    return identities;
  }

  linkIdentity(
    userId: string,
    issuer: string,
    subject: string,
    actor: Actor,
    writer?: MemberWriter,
  ): Promise<void> {
    return this.#changes.make(actor, async ({ transaction, nowMs }) => {
      const user = await requireUser(transaction, userId);
      await assertMayAdmit(transaction, user, writer);
      await insertIdentity(transaction, { issuer, subject, userId }, nowMs);
      return { value: undefined, deed: deedOf('user.link', user.login, null, { issuer, subject }) };
    });
  }

  unlinkIdentity(
    userId: string,
    issuer: string,
    subject: string,
    actor: Actor,
    writer?: MemberWriter,
  ): Promise<void> {
    return this.#changes.make(actor, async ({ transaction }) => {
      const user = await requireUser(transaction, userId);
      await assertMayAdmit(transaction, user, writer);
      if (!(await deleteIdentity(transaction, { issuer, subject, userId }))) {
        throw new BrumeError('unknown_identity');
      }
      return { value: undefined, deed: deedOf('user.unlink', user.login, { issuer, subject }, null) };
    });
  }

  disableUser(
    userId: string,
    isDisabled: boolean,
    actor: Actor,
    { writer, expectedVersion }: UserChange = {},
  ): Promise<User> {
    return this.#changes.make(actor, async ({ transaction, nowMs }) => {
      const before = await requireUser(transaction, userId);
      await assertMayRestrict(transaction, before, { writer, least: 'owner' });
      assertVersion({ version: before.updatedAtMs }, expectedVersion);
      const value = { ...before, isDisabled, updatedAtMs: laterThan(before, nowMs) };
      await updateIsDisabled(transaction, value);
      if (isDisabled) {
        await revokeSessions(transaction, userId, nowMs);
        await deleteInvitations(transaction, userId, nowMs);
        await deleteInvitationsMadeBy(transaction, userId);
        await revokeTokensMadeBy(transaction, { userId, organisationId: null }, nowMs);
      }
      const action = isDisabled ? 'user.disable' : 'user.enable';
      return { value, deed: deedOf(action, value.login, before, value) };
    });
  }

  deleteUser(userId: string, actor: Actor, { writer, expectedVersion }: UserChange = {}): Promise<void> {
    return this.#changes.make(actor, async ({ transaction }) => {
      const before = await requireUser(transaction, userId);
      await assertMayRestrict(transaction, before, { writer, least: 'owner' });
      assertVersion({ version: before.updatedAtMs }, expectedVersion);
      await assertNotLastOwner(transaction, userId);
      await deleteUser(transaction, userId);
      return { value: undefined, deed: deedOf('user.delete', before.login, before, null) };
    });
  }

  createInvitation(
    userId: string,
    { sha256, expiresAtMs }: { readonly sha256: string; readonly expiresAtMs: number },
    actor: Actor,
    writer?: MemberWriter,
  ): Promise<void> {
    return this.#changes.make(actor, async ({ transaction, nowMs }) => {
      const user = await requireUser(transaction, userId);
      await assertMayAdmit(transaction, user, writer);
      await deleteInvitations(transaction, userId, nowMs);
      const madeBy = writer?.userId ?? null;
      await insertInvitation(transaction, { sha256, userId, expiresAtMs, madeBy }, nowMs);
      return { value: undefined, deed: deedOf('user.invite', user.login, null, { expiresAtMs }) };
    });
  }

  async acceptInvitation(
    sha256: string,
    passwordHash: string,
    { address, requestId }: Partial<Pick<Actor, 'address' | 'requestId'>> = {},
  ): Promise<User> {
    const { userId } = await this.#invited(this.#sql, sha256);
    const { id, login } = await requireUser(this.#sql, userId);
    const actor = { name: `user:${login}`, address: address ?? null, requestId: requestId ?? null };
    return this.#changes.make(actor, async ({ transaction, nowMs }) => {
      const { madeBy } = await this.#invited(transaction, sha256);
      const before = await requireUser(transaction, id);
      await assertMakerStillMay(transaction, before, madeBy);
      const value = { ...before, hasPassword: true, updatedAtMs: laterThan(before, nowMs) };
      await useInvitation(transaction, sha256, nowMs);
      await updatePassword(transaction, value, passwordHash);
      await revokeSessions(transaction, id, nowMs);
      return { value, deed: deedOf('user.password', login, before, value) };
    });
  }

  changePassword(
    userId: string,
    { from, to }: { readonly from: string; readonly to: string },
    { actor, keptSessionId }: { readonly actor: Actor; readonly keptSessionId?: string | undefined },
  ): Promise<void> {
    return this.#changes.make(actor, async ({ transaction, nowMs }) => {
      const before = await requireUser(transaction, userId);
      if (!(await replacePasswordHash(transaction, userId, from, to))) {
        throw new BrumeError('conflict', { detail: 'Your password was changed meanwhile.' });
      }
      const value = { ...before, updatedAtMs: laterThan(before, nowMs) };
      await updatePassword(transaction, value, to);
      await deleteInvitations(transaction, userId, nowMs);
      await revokeSessions(transaction, userId, nowMs, keptSessionId);
      return { value: undefined, deed: deedOf('user.password', before.login, before, value) };
    });
  }

  async renewPasswordHash(userId: string, from: string, to: string): Promise<void> {
    await this.#sql.transaction((transaction) => replacePasswordHash(transaction, userId, from, to));
  }

  createSession(
    userId: string,
    { id, expiresAtMs }: { readonly id: string; readonly expiresAtMs: number },
    actor: Actor,
  ): Promise<Session> {
    return this.#changes.make(actor, async ({ transaction, nowMs: createdAtMs }) => {
      const { login } = await requireUser(transaction, userId);
      await deleteEndedSessions(transaction, createdAtMs);
      const session = { id, userId, createdAtMs, expiresAtMs };
      if (!(await insertSession(transaction, session))) throw new BrumeError('unknown_user');
      const value = { ...session, revokedAtMs: null };
      return { value, deed: deedOf('session.create', login, null, value) };
    });
  }

  liveSession(id: string): Promise<Session | undefined> {
    return selectLiveSession(this.#sql, id, this.#clock.nowMs());
  }

  listSessions(userId: string): Promise<Session[]> {
    return selectSessions(this.#sql, userId, this.#clock.nowMs());
  }

  revokeSession(userId: string, id: string, actor: Actor, writer?: MemberWriter): Promise<void> {
    return this.#end('session.revoke', { id, userId }, actor, writer);
  }

  endSession(userId: string, id: string, actor: Actor): Promise<void> {
    return this.#end('session.end', { id, userId }, actor);
  }

  revokeSessions(userId: string, actor: Actor, writer?: MemberWriter): Promise<void> {
    return this.#changes.make(actor, async ({ transaction, nowMs }) => {
      const user = await requireUser(transaction, userId);
      await assertMayRestrict(transaction, user, { writer, least: 'admin' });
      const revoked = await revokeSessions(transaction, userId, nowMs);
      return { value: undefined, deed: deedOf('sessions.revoke', user.login, null, { revoked }) };
    });
  }

  /** Who it was is not known, so that nobody is named as the one who did it. */
  noteRefusals({ login, address, requestId, by, ...counts }: RefusedSignIns): Promise<void> {
    return this.#changes.make({ name: 'nobody', address, requestId }, async () => {
      const { wrong, throttled, firstAtMs, lastAtMs } = counts;
      const after = { by, wrong, throttled, firstAtMs, lastAtMs };
      return { value: undefined, deed: deedOf('session.refuse', login ?? UNKNOWN_LOGIN, null, after) };
    });
  }

  #end(
    action: 'session.revoke' | 'session.end',
    { id, userId }: Pick<Session, 'id' | 'userId'>,
    actor: Actor,
    writer?: MemberWriter,
  ): Promise<void> {
    return this.#changes.make(actor, async ({ transaction, nowMs }) => {
      const user = await requireUser(transaction, userId);
      await assertMayRestrict(transaction, user, { writer, least: 'admin' });
      const session = await revokeSession(transaction, { id, userId }, nowMs);
      if (session === undefined) throw new BrumeError('unknown_session');
      return { value: undefined, deed: deedOf(action, user.login, null, session) };
    });
  }

  async #invited(sql: Pick<Sql, 'all'>, sha256: string) {
    const invitation = await selectInvited(sql, sha256, this.#clock.nowMs());
    if (invitation === undefined) throw new BrumeError('unknown_invitation');
    return invitation;
  }
}
