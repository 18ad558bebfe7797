import { path } from './call-api.ts';
import { type Call, listAll, queryOf } from './list-all.ts';

/** Users, as the management routes take and give them. */

export interface User {
  readonly id: string;
  readonly login: string;
  readonly hasPassword: boolean;
  readonly isDisabled: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A one-time link by which a user sets a password. */
export interface Invitation {
  readonly login: string;
  readonly url: string;
  readonly token: string;
  readonly expiresAt: string;
}

/** Who a user is at an identity provider. */
export interface LinkedIdentity {
  readonly issuer: string;
  readonly subject: string;
  readonly createdAt: string;
}

export interface SignInSession {
  readonly id: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly revokedAt: string | null;
}

/** The calls for users, by id or login. They reject as those of ApiClient do. */
export class UserCalls {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  list(): Promise<User[]> {
    return listAll(this.#call, '/v1/users');
  }

  show(user: string): Promise<User> {
    return this.#call('GET', path`/v1/users/${user}`);
  }

  create(login: string): Promise<User> {
    return this.#call('POST', '/v1/users', { login });
  }

  /** Disabling ends the user's sessions. */
  setDisabled(user: string, isDisabled: boolean): Promise<User> {
    return this.#call('PUT', path`/v1/users/${user}`, { isDisabled });
  }

  async delete(user: string): Promise<void> {
    await this.#call('DELETE', path`/v1/users/${user}`);
  }

  async link(user: string, issuer: string, subject: string): Promise<void> {
    await this.#call('POST', path`/v1/users/${user}/identities`, { issuer, subject });
  }

  listIdentities(user: string): Promise<LinkedIdentity[]> {
    return listAll(this.#call, path`/v1/users/${user}/identities`);
  }

  async unlink(user: string, issuer: string, subject: string): Promise<void> {
    await this.#call('DELETE', path`/v1/users/${user}/identities` + queryOf({ issuer, subject }));
  }

  invite(user: string): Promise<Invitation> {
    return this.#call('POST', path`/v1/users/${user}/invitations`);
  }

  listSessions(user: string): Promise<SignInSession[]> {
    return listAll(this.#call, path`/v1/users/${user}/sessions`);
  }

  async revokeSession(user: string, session: string): Promise<void> {
    await this.#call('DELETE', path`/v1/users/${user}/sessions/${session}`);
  }

  async revokeSessions(user: string): Promise<void> {
    await this.#call('DELETE', path`/v1/users/${user}/sessions`);
  }
}
