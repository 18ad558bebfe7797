import { parseAddressBlock } from './address-block.ts';

/** Whether a match, in any of its spellings, is for all: `*`, and all addresses of IPv4 or of IPv6. */
export function isForEverybody(match: string): boolean {
  return /^\*+$/.test(match) || parseAddressBlock(match)?.prefix === 0;
}
