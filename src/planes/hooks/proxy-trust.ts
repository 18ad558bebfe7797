import { BlockList, isIPv4 } from 'node:net';
import { canonicalAddress } from '../../policy/address.ts';

/** The proxies whose word on client addresses counts. */
export interface ProxyTrust {
  /** `address` as plainAddress gives it. */
  includes(address: string): boolean;
}

/** `cidrs` as the configuration checked them: no hop counts, and never the whole Internet. */
export function proxyTrust(cidrs: readonly string[]): ProxyTrust {
  const list = new BlockList();
  for (const cidr of cidrs) {
    const [network = '', prefix = ''] = cidr.split('/');
    list.addSubnet(network, Number(prefix), isIPv4(network) ? 'ipv4' : 'ipv6');
  }
  return { includes: (address) => list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6') };
}

/**
 * One spelling for each address, whole, without port, zone and prefix: `192.0.2.1`, also for
 * `::ffff:192.0.2.1`; `2001:db8::1`. Undefined if it is none.
 */
export function plainAddress(text: string): string | undefined {
  return canonicalAddress(text, 128)?.replace(/\/128$/, '');
}
