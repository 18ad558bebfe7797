import { isIP } from 'node:net';
import { type Kind, quoted } from './kind.ts';

const NONE = 'none';

/**
 * By the bits of an address: nobody's network is larger (10.0.0.0/8, fc00::/7), and a few of these
 * would be the whole Internet again.
 */
const SHORTEST_PREFIX = { 32: 8, 128: 7 } as const;

/**
 * Networks in CIDR notation, or single addresses, separated by commas; `none` for an empty list.
 * A number of hops is refused, and so is the whole Internet: either would let clients write
 * their own address.
 */
export function networkList(): Kind<readonly string[]> {
  return {
    expected: 'networks such as 10.0.0.0/8,fd00::/8 or single addresses, separated by commas, or none',
    schema: { type: 'string', format: 'brume-network-list' },
    fault: (text) => (text === NONE ? undefined : entries(text).map(entryFault).find(Boolean)),
    value: (checked) => Object.freeze(checked === NONE ? [] : entries(String(checked)).map(withPrefix)),
  };
}

/** As `networkList`, of whom something is to be allowed: any size will do, also everybody. */
export function addressList(): Kind<readonly string[]> {
  return {
    ...networkList(),
    schema: { type: 'string', format: 'brume-address-list' },
    fault: (text) => (text === NONE ? undefined : entries(text).map(formFault).find(Boolean)),
  };
}

function entries(text: string): string[] {
  return text.split(',').map((entry) => entry.trim());
}

function entryFault(entry: string): string | undefined {
  const [address = '', prefix] = entry.split('/');
  const bits = bitsOf(address);
  if (/^[0-9]+$/.test(entry))
    return `${quoted(entry)} is a bare number: name the proxies' networks, not hops`;
  const fault = formFault(entry);
  if (fault !== undefined || prefix === undefined || bits === 0) return fault;
  if (Number(prefix) === 0) return `${quoted(entry)} trusts the whole Internet to state client addresses`;
  const shortest = SHORTEST_PREFIX[bits];
  return Number(prefix) < shortest
    ? `${quoted(entry)} trusts more of the Internet than any one network has: use prefixes of /${shortest} or longer`
    : undefined;
}

function formFault(entry: string): string | undefined {
  if (entry === '') return 'the list has an empty entry';
  const [address = '', prefix, ...more] = entry.split('/');
  const bits = bitsOf(address);
  if (bits === 0 || more.length > 0) return `${quoted(entry)} is not an address or network`;
  if (/^::ffff:/i.test(address)) return `${quoted(entry)} is IPv4 in disguise: write the IPv4 address`;
  if (prefix === undefined) return undefined;
  if (!/^(0|[1-9][0-9]{0,2})$/.test(prefix) || Number(prefix) > bits) {
    return `${quoted(entry)} has no prefix length from 1 to ${bits}`;
  }
  return undefined;
}

function bitsOf(address: string): 0 | 32 | 128 {
  if (address.includes('%')) return 0;
  const family = isIP(address);
  return family === 4 ? 32 : family === 6 ? 128 : 0;
}

function withPrefix(entry: string): string {
  return entry.includes('/') ? entry : `${entry}/${bitsOf(entry)}`;
}
