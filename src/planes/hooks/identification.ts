import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { BrumeError } from '../../errors/catalogue.ts';
import type { Actor } from '../../tenancy/actor.ts';
import type { Principal } from '../../tenancy/principal.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null on public routes, and until it is known. */
    principal: Principal | null;
  }
}

/**
 * Finds out who asks. Undefined: what the request holds proves nothing, or it holds nothing.
 * Rejects with BrumeError `store_unavailable` if nobody could look it up.
 */
export type Identify = (request: FastifyRequest) => Promise<Principal | undefined>;

const WHAT_TO_SEND = 'Sign in, or send a management token as Authorization: Bearer.';

/** Lets nobody past whom it doesn't know, but to public routes and those with a guard of their own. */
export const identification = fp(
  async (app: FastifyInstance, { identify }: { readonly identify: Identify }) => {
    app.decorateRequest('principal', null);
    app.addHook('onRequest', async function findOutWhoAsks(request) {
      const { isPublic, role } = request.routeOptions.config;
      if (request.is404 || isPublic === true || role === undefined) return;
      const principal = await identify(request);
      if (principal === undefined) throw new BrumeError('unauthorized', { detail: WHAT_TO_SEND });
      request.principal = principal;
    });
  },
  { name: 'brume-identification', dependencies: ['brume-error-answers', 'brume-route-access'] },
);

/** Who asks, on a route that is not public. */
export function principalOf(request: FastifyRequest): Principal {
  if (request.principal === null) throw new Error(`route ${request.routeOptions.url} has no principal`);
  return request.principal;
}

/** As history and audit record who asks. */
export function actorOf(request: FastifyRequest): Actor {
  return principalOf(request).actor;
}
