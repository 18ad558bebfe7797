import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import type { Role } from '../../tenancy/role.ts';

/**
 * Where the caller needs the role. `project`: in the organisation that owns the project of the path.
 * `organisation`: in that of the path, or of the body. `installation`: in the default organisation,
 * whose members look after this Brume. `own`: nowhere; whoever is known sees what is theirs.
 */
export const REALMS = ['own', 'project', 'organisation', 'installation'] as const;
export type Realm = (typeof REALMS)[number];

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The least role that may call it. */
    role?: Role;
    within?: Realm;
    /** The organisation is a member of the body, and the default one where the body has none. */
    organisationInBody?: boolean;
    /** The plane that mounts it guards it in another way, which this says in words. */
    guard?: string;
    /** The route writes configuration: who did it is recorded. */
    isChange?: boolean;
    /** The route compares If-Match with the version of what it changes; any other refuses that header. */
    isVersioned?: boolean;
    /** What it gives would outlive a management token, which may not call it, whatever its role. */
    isForPeople?: boolean;
  }
}

/** Behind the deadlines of the three or four statements that a call may take. */
const TIMEOUT_MS = 30_000;

/** What a management route says of itself. */
export function access(within: Realm, role: Role, { isChange = false, organisationInBody = false } = {}) {
  return { isPublic: false, within, role, isChange, organisationInBody, timeoutMs: TIMEOUT_MS };
}

type Access = ReturnType<typeof access>;

/** The same access, for a route that compares versions. */
export function versioned<Given extends Access>(config: Given) {
  return { ...config, isVersioned: true };
}

/** The same access, but not for management tokens. */
export function forPeople<Given extends Access>(config: Given) {
  return { ...config, isForPeople: true };
}

export const READ = access('project', 'viewer');
export const CHANGE = access('project', 'developer', { isChange: true });
export const CHANGE_PROJECT = access('project', 'admin', { isChange: true });
export const CREATE_PROJECT = access('organisation', 'admin', { isChange: true, organisationInBody: true });
/** Asks the limiter, and may consume. */
export const CHECK = access('project', 'developer');
/** What belongs to the organisations of whoever asks. */
export const READ_OWN = access('own', 'viewer');

/** Holds every route of the plane to saying who may call it and for how long it may run. */
export const routeAccess = fp(
  async (app: FastifyInstance) => {
    app.addHook('onRoute', (route) => {
      const { isPublic, role, within, guard, timeoutMs } = route.config ?? {};
      const hasRole = isPublic === false && role !== undefined && within !== undefined;
      const isStated = isPublic === true || hasRole || (isPublic === false && guard !== undefined);
      if (!isStated || timeoutMs === undefined || route.schema === undefined) {
        throw new Error(
          `route ${route.url} must state isPublic, or a role and where, or a guard, and timeoutMs and a schema`,
        );
      }
    });
  },
  { name: 'brume-route-access' },
);
