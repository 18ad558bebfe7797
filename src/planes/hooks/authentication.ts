import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { Clock } from '../../limiter/clock.ts';
import type { KeyDirectory } from '../../tenancy/api-key.ts';
import { type Caller, requireScope, whoAsks } from './caller.ts';
import type { RawHeaders } from './header-lines.ts';
import { presentedKey } from './presented-key.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null on public routes. */
    caller: Caller | null;
  }
  interface FastifyContextConfig {
    /** Where a route's callers put their key; presentedKey unless it says otherwise. */
    presentedKey?: (headers: RawHeaders) => string | undefined;
  }
}

export interface AuthenticationOptions {
  readonly keys: KeyDirectory;
  readonly clock: Clock;
  /** Told of each request whose key is valid, whether or not it has the scope. */
  readonly onValidKey?: (request: FastifyRequest) => void;
}

/** Lets a request pass that is public, or comes with a living key. */
export const authentication = fp(
  async (app: FastifyInstance, { keys, clock, onValidKey }: AuthenticationOptions) => {
    app.decorateRequest('caller', null);
    app.addHook('onRequest', async function authenticate(request) {
      const { isPublic, presentedKey: keyOf = presentedKey } = request.routeOptions.config;
      if (isPublic === true || request.is404) return;
      const caller = await whoAsks(keys, keyOf(request.raw.rawHeaders), clock.nowMs());
      request.caller = caller;
      onValidKey?.(request);
    });
  },
  { name: 'brume-authentication', dependencies: ['brume-route-config', 'brume-error-answers'] },
);

/** Lets a caller pass whose key has the route's scope. Apart from authentication, so that refusals count as calls. */
export const authorisation = fp(
  async (app: FastifyInstance) => {
    app.addHook('onRequest', function authorise({ caller, routeOptions }, _reply, done) {
      const { scope } = routeOptions.config;
      if (caller !== null && scope != null) requireScope(caller, scope);
      done();
    });
  },
  { name: 'brume-authorisation', dependencies: ['brume-authentication'] },
);

/** The caller on a route that is not public. */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === null)
    throw new Error(`route ${request.routeOptions.url} is public and has no caller`);
  return request.caller;
}
