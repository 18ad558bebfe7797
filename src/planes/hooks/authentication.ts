import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { Clock } from '../../limiter/clock.ts';
import type { KeyDirectory } from '../../tenancy/api-key.ts';
import { type Caller, type Presented, requireScope, whoAsks } from './caller.ts';
import { badHeader, type RawHeaders } from './header-lines.ts';
import { keyInQuery, presentedKey } from './presented-key.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null on public routes. */
    caller: Caller | null;
  }
  interface FastifyContextConfig {
    /** Where a route's callers put their key; presentedKey unless it says otherwise. */
    presentedKey?: (headers: RawHeaders) => string | undefined;
    /**
     * Whether a publishable key may also come as `?apikey=`. Only for WebSocket and SSE routes, whose
     * callers in browsers can't set headers: URLs end up in logs and histories.
     */
    takesKeyInQuery?: boolean;
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
      if (request.routeOptions.config.isPublic === true || request.is404) return;
      const caller = await whoAsks(keys, presentedBy(request), clock.nowMs());
      request.caller = caller;
      onValidKey?.(request);
    });
  },
  { name: 'brume-authentication', dependencies: ['brume-route-config', 'brume-error-answers'] },
);

function presentedBy({ raw, routeOptions }: FastifyRequest): Presented {
  const { presentedKey: keyOf = presentedKey, takesKeyInQuery } = routeOptions.config;
  const key = keyOf(raw.rawHeaders);
  const inQuery = takesKeyInQuery === true ? keyInQuery(raw.url ?? '') : undefined;
  if (inQuery === undefined) return { key };
  if (key === undefined) return { key: inQuery, onlyKind: 'publishable' };
  if (key !== inQuery) throw badHeader('apikey', 'in the query and the header for a key hold different keys');
  return { key };
}

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
