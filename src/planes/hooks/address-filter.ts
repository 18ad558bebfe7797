import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { BrumeError } from '../../errors/catalogue.ts';
import type { AddressFilterTable } from './address-filter-table.ts';
import { clientAddress } from './client-address.ts';
import { sendProblem } from './error-answers.ts';
import { headerLines } from './header-lines.ts';
import type { Peer } from './peer.ts';
import type { ProxyTrust } from './proxy-trust.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** As what the caller's address was counted; null where it was not. */
    countedAddress: string | null;
  }
}

export interface AddressFilterHookOptions {
  readonly table: AddressFilterTable;
  readonly trust: ProxyTrust;
  readonly peerOf: (socket: FastifyRequest['socket']) => Peer;
  readonly onThrottled?: () => void;
}

/**
 * Turns away who asks too often without a valid key, before any key is looked up. What the
 * orchestrator asks (public routes) and forward-auth calls, whose proxy speaks for everybody, pass.
 */
export const addressFilter = fp(
  async (app: FastifyInstance, options: AddressFilterHookOptions) => {
    const { table, trust, peerOf, onThrottled } = options;
    app.decorateRequest('countedAddress', null);
    app.addHook('onRequest', function filterAddress(request, reply, done) {
      const { isPublic, isForwardAuth } = request.routeOptions.config;
      if (isPublic === true || isForwardAuth === true) return done();
      const address = countedAddress(request, peerOf(request.raw.socket), trust);
      if (address === undefined) return done();
      const key = table.keyOf(address);
      const retryAfterS = table.take(key);
      if (retryAfterS === 0) {
        request.countedAddress = key;
        return done();
      }
      onThrottled?.();
      sendProblem(request, reply, new BrumeError('throttled_address', { retryAfterS }));
    });
  },
  { name: 'brume-address-filter', dependencies: ['brume-error-answers'] },
);

/** The client's address, where it is known: a listed proxy, or whoever may open the Unix socket, never counts as one. */
function countedAddress({ raw }: FastifyRequest, peer: Peer, trust: ProxyTrust): string | undefined {
  if (!peer.isTrusted) return peer.address;
  const forwardedFor = headerLines(raw.rawHeaders, 'x-forwarded-for');
  if (forwardedFor.length === 0) return undefined;
  try {
    const address = clientAddress(peer, forwardedFor, trust);
    return trust.includes(address) ? undefined : address;
  } catch (error) {
    if (error instanceof BrumeError) return undefined;
    throw error;
  }
}
