import type { Socket } from 'node:net';
import { type ProxyTrust, plainAddress } from './proxy-trust.ts';

/** Who holds the other end of a connection. */
export interface Peer {
  /** Undefined on a Unix socket, and on a connection that broke before we could ask. */
  readonly address: string | undefined;
  /** A listed proxy, or whoever may open our Unix socket: may speak for clients. */
  readonly isTrusted: boolean;
}

/** Finds out once for each connection. */
export function peerReader(trust: ProxyTrust): (socket: Socket) => Peer {
  const known = new WeakMap<Socket, Peer>();
  return (socket) => {
    let peer = known.get(socket);
    if (peer === undefined) {
      peer = readPeer(socket, trust);
      known.set(socket, peer);
    }
    return peer;
  };
}

function readPeer(socket: Socket, trust: ProxyTrust): Peer {
  const address = plainAddress(socket.remoteAddress ?? '');
  if (address !== undefined) return { address, isTrusted: trust.includes(address) };
  // A TCP connection that broke has lost its remote address too, and is no Unix socket for that.
  const isUnixSocket =
    !socket.destroyed && socket.remoteAddress === undefined && socket.localAddress === undefined;
  return { address: undefined, isTrusted: isUnixSocket };
}
