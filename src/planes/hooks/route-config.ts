import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import type { Scope } from '../../tenancy/api-key.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether anyone may call it, without a key. */
    isPublic?: boolean;
    /** The scope that a key needs; null on public routes. */
    scope?: Scope | null;
    /** After this the answer is 503; a bound behind the stores' own deadlines. */
    timeoutMs?: number;
  }
}

/** Holds every route of the data plane to saying who may call it and for how long it may run. */
export const routeConfig = fp(
  async (app: FastifyInstance) => {
    app.addHook('onRoute', (route) => {
      const { isPublic, scope, timeoutMs } = route.config ?? {};
      if (
        isPublic === undefined ||
        scope === undefined ||
        timeoutMs === undefined ||
        route.schema === undefined
      ) {
        throw new Error(`route ${route.url} must state isPublic, scope, timeoutMs and a schema`);
      }
      if (isPublic !== (scope === null))
        throw new Error(`route ${route.url} is either public or has a scope`);
    });
  },
  { name: 'brume-route-config' },
);
