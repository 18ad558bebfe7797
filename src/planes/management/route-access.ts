import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';

/** What a route can ask of its caller, on a plane that knows members and their roles. */
export type Role = 'viewer' | 'developer' | 'admin';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The least role that may call it. */
    role?: Role;
    /** The route writes configuration: who did it is recorded. */
    isChange?: boolean;
  }
}

/** Behind the deadlines of the three or four statements that a call may take. */
const TIMEOUT_MS = 30_000;

const forRole = (role: Role, isChange: boolean) => ({
  isPublic: false,
  role,
  isChange,
  timeoutMs: TIMEOUT_MS,
});

export const READ = forRole('viewer', false);
export const CHANGE = forRole('developer', true);
export const CHANGE_PROJECT = forRole('admin', true);
/** Asks the limiter, and may consume. */
export const CHECK = forRole('developer', false);

/** Holds every route of the plane to saying who may call it and for how long it may run. */
export const routeAccess = fp(
  async (app: FastifyInstance) => {
    app.addHook('onRoute', (route) => {
      const { isPublic, role, timeoutMs } = route.config ?? {};
      const isStated = isPublic === true || (isPublic === false && role !== undefined);
      if (!isStated || timeoutMs === undefined || route.schema === undefined) {
        throw new Error(`route ${route.url} must state isPublic or a role, timeoutMs and a schema`);
      }
      route.handlerTimeout = timeoutMs;
    });
  },
  { name: 'brume-route-access' },
);
