import { path } from './call-api.ts';
import { type Expected, ifMatch } from './if-match.ts';
import { type Call, listAll } from './list-all.ts';

/** Organisations, their members and their management tokens, as the management routes take and give them. */

export interface Organisation {
  readonly id: string;
  readonly name: string;
  readonly version: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface Member {
  readonly userId: string;
  readonly login: string;
  readonly role: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface ManagementToken {
  readonly id: string;
  readonly name: string;
  readonly role: string;
  /** The first characters of the token. */
  readonly prefix: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly revokedAt: string | null;
  readonly lastUsedAt: string | null;
}

/** A new token with its secret, which is given this once. */
export interface CreatedManagementToken extends ManagementToken {
  readonly token: string;
}

/** The calls for organisations, by id or name. They reject as those of ApiClient do. */
export class OrganisationCalls {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  list(): Promise<Organisation[]> {
    return listAll(this.#call, '/v1/organisations');
  }

  create(name: string): Promise<Organisation> {
    return this.#call('POST', '/v1/organisations', { name });
  }

  show(organisation: string): Promise<Organisation> {
    return this.#call('GET', path`/v1/organisations/${organisation}`);
  }

  rename(organisation: string, name: string, expected: Expected = {}): Promise<Organisation> {
    return this.#call('PUT', path`/v1/organisations/${organisation}`, { name }, ifMatch(expected));
  }

  async delete(organisation: string, expected: Expected = {}): Promise<void> {
    await this.#call('DELETE', path`/v1/organisations/${organisation}`, undefined, ifMatch(expected));
  }

  listMembers(organisation: string): Promise<Member[]> {
    return listAll(this.#call, path`/v1/organisations/${organisation}/members`);
  }

  /** Adds a member, or changes the role. */
  setMember(organisation: string, user: string, role: string): Promise<Member> {
    return this.#call('PUT', path`/v1/organisations/${organisation}/members/${user}`, { role });
  }

  async removeMember(organisation: string, user: string): Promise<void> {
    await this.#call('DELETE', path`/v1/organisations/${organisation}/members/${user}`);
  }

  listTokens(organisation: string): Promise<ManagementToken[]> {
    return listAll(this.#call, path`/v1/organisations/${organisation}/tokens`);
  }

  createToken(
    organisation: string,
    token: { readonly name: string; readonly role: string; readonly expiresAt: string },
  ): Promise<CreatedManagementToken> {
    return this.#call('POST', path`/v1/organisations/${organisation}/tokens`, token);
  }

  revokeToken(organisation: string, token: string): Promise<ManagementToken> {
    return this.#call('DELETE', path`/v1/organisations/${organisation}/tokens/${token}`);
  }
}
