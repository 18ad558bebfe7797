import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';

/** The least role that a route asks for, where the plane that mounts it knows members and roles. */
export type Role = 'viewer' | 'developer' | 'admin';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Null on public routes. */
    role?: Role | null;
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
      if (
        isPublic === undefined ||
        role === undefined ||
        timeoutMs === undefined ||
        route.schema === undefined
      ) {
        throw new Error(`route ${route.url} must state isPublic, role, timeoutMs and a schema`);
      }
      if (isPublic !== (role === null)) throw new Error(`route ${route.url} is either public or has a role`);
      route.handlerTimeout = timeoutMs;
    });
  },
  { name: 'brume-route-access' },
);
