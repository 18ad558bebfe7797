import type { Actor } from './actor.ts';
import type { Role } from './role.ts';

/** A token of the management API, for automation: `brume_mt_` and 43 characters, SHA-256 at rest. */
export interface ManagementToken {
  /** `mt_…`, safe in logs. */
  readonly id: string;
  readonly organisationId: string;
  readonly name: string;
  /** Never more than its maker's, at each request. */
  readonly role: Role;
  readonly prefix: string;
  /** Null: the command line on the machine. */
  readonly madeBy: string | null;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  readonly revokedAtMs: number | null;
  readonly lastUsedAtMs: number | null;
}

/** Rejects with BrumeError: unknown_organisation, unknown_token, conflict, store_unavailable. */
export interface ManagementTokenStore {
  listTokens(organisationId: string): Promise<ManagementToken[]>;
  createToken(
    token: Pick<ManagementToken, 'organisationId' | 'name' | 'role' | 'prefix' | 'madeBy' | 'expiresAtMs'> & {
      readonly sha256: string;
    },
    actor: Actor,
  ): Promise<ManagementToken>;
  /** Revoking twice is no error: the first time stands. */
  revokeToken(organisationId: string, id: string, actor: Actor): Promise<ManagementToken>;
  /** Undefined unless it is good now. */
  findToken(sha256: string): Promise<ManagementToken | undefined>;
  noteTokenUse(id: string, atMs: number): Promise<void>;
}
