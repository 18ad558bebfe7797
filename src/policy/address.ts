import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** `[address]` or `[address]:port`. */
const BRACKETED = /^\[([^\]]*)\](?::(\d{1,5}))?$/;
/** `a.b.c.d:port`. A bare IPv6 address has more than one colon. */
const WITH_PORT = /^([^:]+):(\d{1,5})$/;
const ZONE = /^([^%]+)%[0-9A-Za-z._~%-]{1,64}$/;

/**
 * One spelling for each address: IPv4 in four decimal parts, IPv4-mapped IPv6 as IPv4, other IPv6
 * cut to `ipv6Prefix` bits and written by RFC 5952 with the prefix (`2001:db8:1:2::/64`). Ports and
 * zone ids are dropped. Undefined for anything else, also for octal, hexadecimal and short IPv4.
 */
export function canonicalAddress(text: string, ipv6Prefix: number): string | undefined {
  const address = parsed(text);
  if (!(address instanceof ipaddr.IPv6)) return address;
  const parts = address.parts.map((part, index) => part & mask(ipv6Prefix - 16 * index));
  return `${new ipaddr.IPv6(parts).toRFC5952String()}/${ipv6Prefix}`;
}

/** As canonicalAddress, but the whole address, never cut, and so without a prefix: `2001:db8:1:2::3`. */
export function fullAddress(text: string): string | undefined {
  const address = parsed(text);
  return address instanceof ipaddr.IPv6 ? address.toRFC5952String() : address;
}

/** IPv4, also where it is mapped, as text. */
function parsed(text: string): string | ipaddr.IPv6 | undefined {
  const host = withoutPort(text);
  if (host === undefined) return undefined;
  if (ipaddr.IPv4.isValidFourPartDecimal(host)) return host;
  const bare = ZONE.exec(host)?.[1] ?? host;
  // isIPv6 is as strict as inet_pton, also in the tail of ::ffff:1.2.3.4.
  if (bare.includes('%') || !isIPv6(bare)) return undefined;
  const address = ipaddr.IPv6.parse(bare);
  return address.isIPv4MappedAddress() ? address.toIPv4Address().toString() : address;
}

function withoutPort(text: string): string | undefined {
  const bracketed = BRACKETED.exec(text);
  if (bracketed !== null) {
    const [, inside, port] = bracketed;
    return inside?.includes(':') && isPort(port) ? inside : undefined;
  }
  const withPort = WITH_PORT.exec(text);
  if (withPort === null) return text;
  return isPort(withPort[2]) ? withPort[1] : undefined;
}

function isPort(digits: string | undefined): boolean {
  return digits === undefined || Number(digits) <= 65_535;
}

/** The 16-bit mask of the group of which `bits` bits count. */
function mask(bits: number): number {
  if (bits >= 16) return 0xffff;
  return bits <= 0 ? 0 : (0xffff << (16 - bits)) & 0xffff;
}
