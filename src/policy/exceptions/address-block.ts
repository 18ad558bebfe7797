import { fullAddress } from '../address.ts';
import { ADDRESS_BYTES, addressBytes, addressText } from './address-bytes.ts';

/** A CIDR block as it was written. */
export interface AddressBlock {
  /** Canonical, with the bits behind the prefix as they were written. */
  readonly address: string;
  /** Canonical, with these bits cleared. */
  readonly network: string;
  readonly prefix: number;
  readonly isOneAddress: boolean;
}

const BLOCK = /^([^/]+)\/(0|[1-9][0-9]{0,2})$/;
/** Of an IPv4 address that is written as IPv6: `::ffff:0:0/96`. */
export const MAPPED_BITS = 96;

/** Undefined if it isn't an address, a slash and the length of a prefix. IPv4-mapped blocks become IPv4. */
export function parseAddressBlock(text: string): AddressBlock | undefined {
  const [, host = '', digits] = BLOCK.exec(text) ?? [];
  // Neither a port nor a zone: those are dropped from an address that was seen, not from a network.
  if (!/^[0-9a-fA-F.:]+$/.test(host) || /\.\d+:/.test(host)) return undefined;
  const address = fullAddress(host);
  if (address === undefined) return undefined;
  const bytes = new Uint8Array(ADDRESS_BYTES);
  const length = addressBytes(address, bytes);
  if (length === 0) return undefined;
  const prefix = Number(digits) - (length === 4 && host.includes(':') ? MAPPED_BITS : 0);
  if (prefix < 0 || prefix > length * 8) return undefined;
  clearBehind(bytes, prefix);
  return { address, network: addressText(bytes, length), prefix, isOneAddress: prefix === length * 8 };
}

/** What `::ffff:198.51.100.0/24` is meant to say: its prefix counts the bits of IPv4. Undefined for anything else. */
export function intendedMappedBlock(text: string): AddressBlock | undefined {
  const at = text.indexOf('/');
  const host = text.slice(0, at);
  const address = at > 0 && host.includes(':') ? fullAddress(host) : undefined;
  if (address === undefined || address.includes(':')) return undefined;
  const block = parseAddressBlock(`${address}${text.slice(at)}`);
  return block !== undefined && parseAddressBlock(`${host}/${block.prefix + MAPPED_BITS}`) !== undefined
    ? block
    : undefined;
}

/** Clears the bits of an address that don't belong to its prefix. */
export function clearBehind(bytes: Uint8Array, prefix: number): void {
  const whole = prefix >> 3;
  const mask = (0xff << (8 - (prefix & 7))) & 0xff;
  bytes[whole] = (bytes[whole] ?? 0) & mask;
  bytes.fill(0, whole + 1);
}
