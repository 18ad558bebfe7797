import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { BrumeError } from '../../errors/catalogue.ts';
import { announcesBody } from './announced-body.ts';

/**
 * Decides about a body before anything else is known of the request. A route without a body schema
 * never reads one: its answer comes at once, and the connection closes behind it, so that the
 * unread bytes are nobody's next request.
 */
export const bodyLimit = fp(
  async (app: FastifyInstance) => {
    app.addHook('onRequest', function limitBody(request, reply, done) {
      const { headers } = request.raw;
      const isAnnounced = announcesBody(headers);
      if (readsBody(request)) return done(isAnnounced ? bodyFault(request) : undefined);
      if (isAnnounced) reply.header('connection', 'close');
      // Some clients name a media type with every request, also where there is no body.
      if (isAnnounced || headers['content-type'] !== undefined) forgetBody(request);
      done();
    });

    // We answer `Expect: 100-continue` ourselves: only where the body will really be read.
    app.addHook('preParsing', function inviteBody(request, reply, _payload, done) {
      if (expectsInvitation(request)) reply.raw.writeContinue();
      done();
    });
  },
  { name: 'brume-body-limit' },
);

function expectsInvitation({ raw: { headers, httpVersion } }: FastifyRequest): boolean {
  return headers.expect?.toLowerCase() === '100-continue' && httpVersion === '1.1' && announcesBody(headers);
}

function readsBody(request: FastifyRequest): boolean {
  const { schema } = request.routeOptions;
  return schema?.body !== undefined;
}

function bodyFault({ raw: { headers }, routeOptions }: FastifyRequest): BrumeError | undefined {
  if (Number(headers['content-length'] ?? 0) > routeOptions.bodyLimit) {
    return new BrumeError('payload_too_large', { field: 'body' });
  }
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') {
    return unsupported('Content-Encoding', 'The body must come uncompressed.');
  }
  const charsets = [...(headers['content-type'] ?? '').matchAll(CHARSET)];
  const isUtf8 = charsets.every(([, charset]) => charset?.toLowerCase() === 'utf-8');
  return isUtf8 ? undefined : unsupported('Content-Type', 'The body must be in UTF-8.');
}

/** Each `charset` parameter of a media type, its value quoted or not (RFC 9110, section 8.3.1). */
const CHARSET = /;[ \t]*charset[ \t]*=[ \t]*"?([^\s;"]*)/gi;

function unsupported(field: string, detail: string): BrumeError {
  return new BrumeError('unsupported_media_type', { field, detail });
}

/** Fastify reads whatever body these headers speak of, and has no switch against it. */
function forgetBody({ raw: { headers } }: FastifyRequest): void {
  delete headers['content-length'];
  delete headers['transfer-encoding'];
  delete headers['content-type'];
}
