import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { closeUnlessRead } from './error-answers.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The caller is a proxy, which asks about a request of somebody else: whose headers they are is not known. */
    isForwardAuth?: boolean;
  }
}

/** How long a browser may remember the answer to a preflight; none keeps it for longer. */
const MAX_AGE_S = 86_400;

/**
 * What scripts of any site may read of the data plane's answers. No credentials: cookies never
 * count here, and whoever has a key has it to send.
 */
const CORS_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': [
    'X-RateLimit-Limit',
    'X-RateLimit-Remaining',
    'X-RateLimit-Reset',
    'RateLimit',
    'RateLimit-Policy',
    'Retry-After',
    'X-Brume-RateLimit-Degraded',
    'X-Request-Id',
  ].join(', '),
  // Without an Origin none of this is said.
  vary: 'Origin',
} as const;

const PREFLIGHT_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, POST, PUT, DELETE',
  'access-control-allow-headers':
    'Content-Type, X-API-Key, apikey, Authorization, Idempotency-Key, traceparent, tracestate',
  'access-control-max-age': String(MAX_AGE_S),
  vary: 'Origin, Access-Control-Request-Method',
} as const;

/**
 * Cross-origin requests (Fetch standard, section 3.3): any site may ask, without credentials. A
 * preflight is answered here, before anything is counted. A forward-auth call is about somebody
 * else's request, whose Origin and preflights are the application's business.
 */
export const cors = fp(
  async (app: FastifyInstance) => {
    app.addHook('onRequest', function allowOrigins(request, reply, done) {
      if (request.raw.headers.origin === undefined || request.routeOptions.config.isForwardAuth === true)
        return done();
      if (isPreflight(request)) {
        closeUnlessRead(request, reply);
        reply.code(204).headers(PREFLIGHT_HEADERS).send();
        return;
      }
      setCorsHeaders(request, reply);
      done();
    });
  },
  { name: 'brume-cors' },
);

/** For an answer that is given before a route was found. */
export function setCorsHeaders({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (raw.headers.origin !== undefined) reply.headers(CORS_HEADERS);
}

function isPreflight({ raw: { method, headers } }: FastifyRequest): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}
