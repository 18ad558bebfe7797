import helmet from '@fastify/helmet';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { Peer } from './peer.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The answer is a page, which may load scripts, styles and images of this plane, and call it. */
    isPage?: boolean;
  }
}

/** For what no browser should show: answers of the API. */
const NOTHING = { defaultSrc: ["'none'"], frameAncestors: ["'none'"] };

/** No inline scripts or styles, no eval, nothing from elsewhere. `data:` for the icons that styles hold. */
const PAGE = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'"],
  imgSrc: ["'self'", 'data:'],
  fontSrc: ["'self'"],
  connectSrc: ["'self'"],
  baseUri: ["'none'"],
  formAction: ["'none'"],
  frameAncestors: ["'none'"],
};

const POLICY = 'content-security-policy';
const YEAR_S = 31_536_000;

export interface ContentSecurityOptions {
  readonly peerOf: (socket: FastifyRequest['socket']) => Peer;
}

/**
 * Security headers of a plane that has pages. `upgrade-insecure-requests` and Strict-Transport-Security
 * are said over TLS only, ours or a trusted proxy's: where the plane is served over HTTP, they would turn
 * the page's own scripts into HTTPS requests that nobody answers.
 */
export const contentSecurity = fp(
  async (app: FastifyInstance, { peerOf }: ContentSecurityOptions) => {
    app.addHook('onRoute', (route) => {
      if (route.config?.isPage !== true) return;
      route.helmet = { contentSecurityPolicy: { useDefaults: false, directives: PAGE } };
    });
    await app.register(helmet, {
      contentSecurityPolicy: { useDefaults: false, directives: NOTHING },
      strictTransportSecurity: false,
      xFrameOptions: { action: 'deny' },
      referrerPolicy: { policy: 'no-referrer' },
    });
    app.addHook('onRequest', function setPlaneHeaders(request, reply, done) {
      reply.header('cache-control', 'no-store');
      if (isOverTls(request, peerOf(request.raw.socket))) {
        reply.header('strict-transport-security', `max-age=${YEAR_S}`);
        // Helmet, which has no condition for a directive, has written the policy already.
        reply.header(POLICY, `${String(reply.raw.getHeader(POLICY))};upgrade-insecure-requests`);
      }
      done();
    });
  },
  { name: 'brume-content-security' },
);

function isOverTls({ raw: { socket, headers } }: FastifyRequest, peer: Peer): boolean {
  if ('encrypted' in socket && socket.encrypted === true) return true;
  return peer.isTrusted && headers['x-forwarded-proto'] === 'https';
}
