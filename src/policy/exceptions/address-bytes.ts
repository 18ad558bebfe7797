import ipaddr from 'ipaddr.js';

/** Of the longer kind of address. */
export const ADDRESS_BYTES = 16;

/**
 * Writes a canonical address (address.ts) into the beginning of `into`, and zeros behind it. The
 * number of its bytes: 4 or 16, or 0 if it is none. `/128` behind it is passed over.
 *
 * By hand, for this is done for every check in a namespace that has exceptions for blocks of
 * addresses.
 */
export function addressBytes(text: string, into: Uint8Array): 0 | 4 | 16 {
  into.fill(0);
  const length = text.endsWith('/128') ? text.length - 4 : text.length;
  return text.includes(':') ? ipv6Bytes(text, length, into) : ipv4Bytes(text, length, into);
}

/** The canonical spelling of 4 or 16 bytes. */
export function addressText(bytes: Uint8Array, length: 4 | 16): string {
  const own = [...bytes.subarray(0, length)];
  const address = ipaddr.fromByteArray(own);
  return address instanceof ipaddr.IPv6 ? address.toRFC5952String() : address.toString();
}

const DOT = 0x2e;
const COLON = 0x3a;

function ipv4Bytes(text: string, length: number, into: Uint8Array): 0 | 4 {
  let part = 0;
  let value = 0;
  let digits = 0;
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at);
    if (code === DOT) {
      if (digits === 0 || part === 3) return 0;
      into[part++] = value;
      value = digits = 0;
    } else {
      const digit = code - 0x30;
      if (digit < 0 || digit > 9 || ++digits > 3) return 0;
      value = value * 10 + digit;
      if (value > 255) return 0;
    }
  }
  if (part !== 3 || digits === 0) return 0;
  into[3] = value;
  return 4;
}

/** Canonical IPv6 has no dotted tail: mapped addresses are IPv4, and RFC 5952 writes the rest in hexadecimal. */
function ipv6Bytes(text: string, length: number, into: Uint8Array): 0 | 16 {
  let filled = 0;
  /** Where `::` stands. */
  let gap = -1;
  let at = 0;
  while (at < length) {
    if (text.charCodeAt(at) === COLON) {
      if (text.charCodeAt(at + 1) !== COLON || gap !== -1 || at + 1 >= length) return 0;
      gap = filled;
      at += 2;
      continue;
    }
    let value = 0;
    const start = at;
    for (; at < length && text.charCodeAt(at) !== COLON; at++) {
      const digit = hexDigit(text.charCodeAt(at));
      if (digit < 0 || at - start === 4) return 0;
      value = value * 16 + digit;
    }
    if (filled === ADDRESS_BYTES) return 0;
    into[filled++] = value >> 8;
    into[filled++] = value & 0xff;
    // One colon leads to the next group, two are a gap.
    if (at < length && text.charCodeAt(at + 1) !== COLON && ++at === length) return 0;
  }
  if (gap === -1) return filled === ADDRESS_BYTES ? 16 : 0;
  if (filled > ADDRESS_BYTES - 2) return 0;
  const shift = ADDRESS_BYTES - filled;
  into.copyWithin(gap + shift, gap, filled);
  into.fill(0, gap, gap + shift);
  return 16;
}

function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  if (code >= 0x61 && code <= 0x66) return code - 0x61 + 10;
  return code >= 0x41 && code <= 0x46 ? code - 0x41 + 10 : -1;
}
