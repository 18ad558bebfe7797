import type { Actor } from './actor.ts';
import type { Role } from './role.ts';

/** Who asks on the management plane or the admin socket, and what they may do there. */
export interface Principal {
  readonly actor: Actor;
  /** Came over the admin socket: may do everything. */
  readonly isLocal: boolean;
  /** The user, or the one who made the token; null: nobody in particular. */
  readonly userId: string | null;
  /** The management token that speaks; null: a person. */
  readonly tokenId: string | null;
  /** The session of Brume's own sign-in; absent: the caller came in another way. */
  readonly sessionId?: string;
  /** Read at each call, never kept; undefined: none. */
  roleIn(organisationId: string): Promise<Role | undefined>;
  /** The organisations with a role in them, by id; `all`: every one there is. */
  organisations(): Promise<ReadonlySet<string> | 'all'>;
}

/** Who opens the admin socket is root, or was put into its group. */
export function localPrincipal(actor: Actor): Principal {
  return {
    actor,
    isLocal: true,
    userId: null,
    tokenId: null,
    roleIn: async () => 'owner',
    organisations: async () => 'all',
  };
}
