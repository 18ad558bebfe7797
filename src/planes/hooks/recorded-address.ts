import type { FastifyRequest } from 'fastify';
import { BrumeError } from '../../errors/catalogue.ts';
import { clientAddress } from './client-address.ts';
import { headerLines } from './header-lines.ts';
import type { Peer } from './peer.ts';
import type { ProxyTrust } from './proxy-trust.ts';

export interface AddressParts {
  readonly trust: ProxyTrust;
  readonly peerOf: (socket: FastifyRequest['socket']) => Peer;
}

/**
 * From where a call came, for records and for throttling: the client's address as trusted proxies say
 * it; the peer's own where they say nothing, or nothing that is an address. Null on a Unix socket.
 */
export function addressReader({ trust, peerOf }: AddressParts): (request: FastifyRequest) => string | null {
  return ({ raw }) => {
    const peer = peerOf(raw.socket);
    try {
      return clientAddress(peer, headerLines(raw.rawHeaders, 'x-forwarded-for'), trust);
    } catch (error) {
      if (error instanceof BrumeError) return peer.address ?? null;
      throw error;
    }
  };
}
