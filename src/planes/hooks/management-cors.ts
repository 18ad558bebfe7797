import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { closeUnlessRead } from './error-answers.ts';

/** How long a browser may remember the answer to a preflight. */
const MAX_AGE_S = 600;

const EXPOSED = 'ETag, Location, Retry-After, X-Request-Id';

/**
 * Cross-origin requests (Fetch standard, section 3.3) from the listed origins only, without
 * credentials: tokens travel in Authorization, which a page has to set itself. Other origins get no
 * headers, and their browsers keep the answers from them. Preflights end here.
 */
export const managementCors = fp(
  async (app: FastifyInstance, { origins }: { readonly origins: readonly string[] }) => {
    const listed = new Set(origins);
    app.addHook('onRequest', function allowListedOrigins(request, reply, done) {
      if (isPreflight(request)) {
        answerPreflight(request, reply, isListed(listed, request));
        return;
      }
      setManagementCors(request, reply, listed);
      done();
    });
  },
  { name: 'brume-management-cors' },
);

function setManagementCors(request: FastifyRequest, reply: FastifyReply, listed: ReadonlySet<string>): void {
  reply.header('vary', 'Origin');
  if (!isListed(listed, request)) return;
  reply.header('access-control-allow-origin', request.raw.headers.origin);
  reply.header('access-control-expose-headers', EXPOSED);
}

function answerPreflight(request: FastifyRequest, reply: FastifyReply, isAllowed: boolean): void {
  closeUnlessRead(request, reply);
  reply.code(204).header('vary', 'Origin, Access-Control-Request-Method');
  if (isAllowed) {
    reply.headers({
      'access-control-allow-origin': request.raw.headers.origin,
      'access-control-allow-methods': 'GET, POST, PUT, DELETE',
      'access-control-allow-headers': 'Authorization, Content-Type, If-Match, Accept',
      'access-control-max-age': String(MAX_AGE_S),
    });
  }
  reply.send();
}

function isListed(listed: ReadonlySet<string>, { raw: { headers } }: FastifyRequest): boolean {
  return headers.origin !== undefined && listed.has(headers.origin);
}

function isPreflight({ raw: { method, headers } }: FastifyRequest): boolean {
  return (
    method === 'OPTIONS' &&
    headers.origin !== undefined &&
    headers['access-control-request-method'] !== undefined
  );
}
