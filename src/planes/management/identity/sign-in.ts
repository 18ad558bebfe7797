import { randomBytes } from 'node:crypto';
import { BrumeError } from '../../../errors/catalogue.ts';
import type { Actor } from '../../../tenancy/actor.ts';
import type { SessionTokens } from '../../../tenancy/identity/console-tokens.ts';
import { hashOneTimeSecret, isOneTimeSecret } from '../../../tenancy/identity/one-time-secret.ts';
import { passwordFault } from '../../../tenancy/identity/password-rules.ts';
import type { Passwords } from '../../../tenancy/identity/passwords.ts';
import type { RefusedSignIn, SignInWatch } from '../../../tenancy/identity/refused-sign-ins.ts';
import type { User, UserStore } from '../../../tenancy/user.ts';
import { isReference } from '../find-or-404.ts';
import type { Attempt, SignInThrottle } from './sign-in-throttle.ts';

export interface SignInDeps {
  readonly users: Pick<
    UserStore,
    | 'findUser'
    | 'findLogin'
    | 'createSession'
    | 'revokeSession'
    | 'renewPasswordHash'
    | 'acceptInvitation'
    | 'changePassword'
  >;
  readonly passwords: Passwords;
  readonly sessionTokens: SessionTokens;
  readonly throttle: SignInThrottle;
  readonly watch: SignInWatch;
  readonly clock: { nowMs(): number };
  readonly sessionMs: number;
}

/** From where somebody signs in. */
export type Origin = Omit<Actor, 'name'>;

export interface SignedIn {
  readonly token: string;
  readonly expiresAtMs: number;
  readonly user: User;
}

const SESSION_ID_BYTES = 16;

/** Signing in with a password, setting it by an invitation, and changing it. All throttled. */
export class SignIn {
  readonly #deps: SignInDeps;

  constructor(deps: SignInDeps) {
    this.#deps = deps;
  }

  /**
   * Opens a session. Rejects with BrumeError `unauthorized`, in the same words and after the same work
   * whether there is no such login, it has no password, is disabled, or the password is wrong; and with
   * `throttled_sign_in`.
   */
  async signIn(login: string, password: string, origin: Origin): Promise<SignedIn> {
    const { users, passwords, sessionTokens, clock, sessionMs } = this.#deps;
    const { known, stored, isOutdated } = await this.#judged({ login, by: 'password', ...origin }, () =>
      this.#proved(login, password, origin),
    );
    const renewed = isOutdated ? await passwords.hash(password) : undefined;
    if (renewed !== undefined) await users.renewPasswordHash(known.id, stored, renewed);
    const expiresAtMs = clock.nowMs() + sessionMs;
    const id = `ses_${randomBytes(SESSION_ID_BYTES).toString('hex')}`;
    const actor = { name: `user:${known.login}`, ...origin };
    const session = await users.createSession(known.id, { id, expiresAtMs }, actor);
    // Whoever set a new password meanwhile has ended all sessions, but not yet this one.
    const hashNow = (await users.findLogin(login))?.passwordHash;
    if (hashNow !== stored && hashNow !== renewed) {
      await users.revokeSession(known.id, id, actor);
      throw wrongCredentials();
    }
    const token = await sessionTokens.issue({ sessionId: session.id, userId: known.id, expiresAtMs });
    return { token, expiresAtMs, user: known };
  }

  /**
   * Uses up an invitation and sets the password. Rejects with BrumeError `bad_request`,
   * `unknown_invitation`, `throttled_sign_in`.
   */
  async acceptInvitation(secret: string, password: string, origin: Origin): Promise<User> {
    const { users, passwords, watch } = this.#deps;
    assertGoodPassword(password, 'password');
    const attempted = { login: null, by: 'invitation', ...origin } as const;
    return this.#judged(attempted, async () => {
      try {
        if (!isOneTimeSecret(secret)) throw new BrumeError('unknown_invitation');
        const hash = await passwords.hash(password);
        return await users.acceptInvitation(hashOneTimeSecret(secret), hash, origin);
      } catch (error) {
        if (isWrong(error)) watch.onRefused({ ...attempted, because: 'wrong' });
        throw error;
      }
    });
  }

  /**
   * Sets a new password in the place of the one that somebody knows, who is signed in. Other sessions end.
   * Rejects with BrumeError `bad_request`, `conflict`, `throttled_sign_in`.
   */
  async changePassword(
    who: { readonly userId: string; readonly sessionId?: string | undefined },
    { password, newPassword }: { readonly password: string; readonly newPassword: string },
    origin: Origin,
  ): Promise<void> {
    const { users, passwords } = this.#deps;
    assertGoodPassword(newPassword, 'newPassword');
    const user = await users.findUser(who.userId);
    if (user === undefined) throw new BrumeError('unknown_user');
    if (!user.hasPassword) {
      const detail =
        'You have no password here that could be changed: who invites you makes a link for a first one.';
      throw new BrumeError('bad_request', { field: 'password', detail });
    }
    const { login } = user;
    try {
      const { stored } = await this.#judged({ login, by: 'password', ...origin }, () =>
        this.#proved(login, password, origin),
      );
      const hashes = { from: stored, to: await passwords.hash(newPassword) };
      const actor = { name: `user:${login}`, ...origin };
      await users.changePassword(user.id, hashes, { actor, keptSessionId: who.sessionId });
    } catch (error) {
      if (!isWrong(error)) throw error;
      // Not 401, which would say that the session is over.
      throw new BrumeError('bad_request', { field: 'password', detail: 'This is not your password.' });
    }
  }

  /** Who it is, and the hash that the password matches. Rejects with `unauthorized`, on record, if none. */
  async #proved(login: string, password: string, origin: Origin) {
    const { users, passwords, watch } = this.#deps;
    const known = isReference(login) ? await users.findLogin(login) : undefined;
    const stored = known === undefined || known.isDisabled ? null : known.passwordHash;
    const { isMatch, isOutdated } = await passwords.verify(password, stored);
    if (isMatch && known !== undefined && stored !== null) return { known, stored, isOutdated };
    watch.onRefused({ login: known?.login ?? null, by: 'password', because: 'wrong', ...origin });
    throw wrongCredentials();
  }

  /**
   * Slows down who was wrong before. Only what was wrong counts: a store that is away, or too many who wait
   * for the same, are no fault of whoever asks.
   */
  async #judged<T>(attempted: Omit<RefusedSignIn, 'because'>, work: () => Promise<T>): Promise<T> {
    const attempt = this.#attempt(attempted);
    try {
      const value = await work();
      attempt.succeeded();
      return value;
    } catch (error) {
      if (!isWrong(error)) attempt.wasNotJudged();
      throw error;
    }
  }

  #attempt(attempted: Omit<RefusedSignIn, 'because'>): Attempt {
    const attempt = this.#deps.throttle.begin(attempted.login, attempted.address);
    if ('succeeded' in attempt) return attempt;
    this.#deps.watch.onRefused({ ...attempted, because: 'throttled' });
    throw new BrumeError('throttled_sign_in', { retryAfterS: Math.ceil(attempt.waitMs / 1000) });
  }
}

function assertGoodPassword(password: string, field: string): void {
  const fault = passwordFault(password);
  if (fault !== undefined) throw new BrumeError('bad_request', { field, detail: `The password ${fault}.` });
}

/** The login, the password or the link was wrong. */
function isWrong(error: unknown): boolean {
  return (
    error instanceof BrumeError && (error.code === 'unauthorized' || error.code === 'unknown_invitation')
  );
}

function wrongCredentials(): BrumeError {
  return new BrumeError('unauthorized', { detail: 'The login or the password is wrong.' });
}
