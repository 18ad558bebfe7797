import { BrumeError } from '../../errors/catalogue.ts';
import type { Peer } from './peer.ts';
import { type ProxyTrust, plainAddress } from './proxy-trust.ts';

const FIELD = 'X-Forwarded-For';

/**
 * The address of the client behind the proxies: the peer's own unless the peer is trusted; else the
 * list in X-Forwarded-For, its lines joined in order and read from the right, the first entry that
 * is no listed proxy (each of them vouches for the entry to its left). If all are, the furthest.
 * What the client itself wrote stands further left and is never reached. Throws BrumeError
 * `bad_request` where a trusted peer says nothing, or an entry that would be needed is no address.
 */
export function clientAddress(peer: Peer, forwardedFor: readonly string[], trust: ProxyTrust): string {
  if (!peer.isTrusted) {
    if (peer.address === undefined) throw refused('is needed: the connection shows no address');
    return peer.address;
  }
  const entries = forwardedFor.join(',').split(',');
  let furthest: string | undefined;
  for (let at = entries.length - 1; at >= 0; at--) {
    const entry = (entries[at] ?? '').trim();
    if (entry === '') continue;
    const address = plainAddress(entry);
    if (address === undefined) throw refused('has an entry that is not an address');
    if (!trust.includes(address)) return address;
    furthest = address;
  }
  if (furthest === undefined) throw refused('is needed from a trusted proxy');
  return furthest;
}

function refused(fault: string): BrumeError {
  return new BrumeError('bad_request', { field: FIELD, detail: `${FIELD} ${fault}.` });
}
