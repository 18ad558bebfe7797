import { clearBehind, parseAddressBlock } from '../../../policy/exceptions/address-block.ts';
import { ADDRESS_BYTES, addressBytes, addressText } from '../../../policy/exceptions/address-bytes.ts';
import type { EntryFields, MatchEntry } from './entry-record.ts';
import { EntryTable } from './entry-table.ts';
import type { HashKey } from './keyed-hash.ts';

const IPV4_BITS = 32;
const IPV6_BITS = 128;
/** Where the prefixes of IPv6 begin among the first bytes of keys; those of IPv4 stand before. */
const IPV6_BASE = IPV4_BITS + 1;

/** CIDR blocks: one lookup for each length of prefix that there is, the longest first. */
export class AddressBlocks {
  readonly #table: EntryTable;
  /** How many entries have this first byte. */
  readonly #counts = new Uint32Array(IPV6_BASE + IPV6_BITS + 1);
  /** The first bytes that there are of IPv4 and of IPv6, the longest prefix first. */
  #ipv4Heads: readonly number[] = [];
  #ipv6Heads: readonly number[] = [];

  constructor(hashKey: HashKey) {
    this.#table = new EntryTable(hashKey);
  }

  get count(): number {
    return this.#table.count;
  }

  get bytes(): number {
    return this.#table.bytes + this.#counts.byteLength;
  }

  /** The most specific one that is in force. */
  find(address: string, nowMs: number): EntryFields | undefined {
    const length = addressBytes(address, ADDRESS);
    if (length === 0) return undefined;
    const base = length === 4 ? 0 : IPV6_BASE;
    for (const head of length === 4 ? this.#ipv4Heads : this.#ipv6Heads) {
      const prefix = head - base;
      // From long to short: each mask takes away more of the same bytes.
      clearBehind(ADDRESS, prefix);
      const found = this.#table.find(KEY, writeKey(head, prefix), nowMs);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** What it replaced. */
  set(match: string, fields: EntryFields): EntryFields | undefined {
    const length = keyOfBlock(match);
    if (length === 0) return undefined;
    const head = KEY[0] ?? 0;
    const replaced = this.#table.set(KEY, length, fields);
    if (replaced === undefined) this.#recount(head, 1);
    return replaced;
  }

  /** What was removed. */
  remove(match: string, kind: number): EntryFields | undefined {
    const length = keyOfBlock(match);
    if (length === 0) return undefined;
    const head = KEY[0] ?? 0;
    const removed = this.#table.remove(KEY, length, kind);
    if (removed !== undefined) this.#recount(head, -1);
    return removed;
  }

  /** As EntryTable.batches. */
  *batches(): Generator<readonly MatchEntry[], void, undefined> {
    for (const batch of this.#table.batches()) {
      yield batch.map(({ key, fields }) => ({ match: blockOfKey(key), fields }));
    }
  }

  #recount(head: number, by: number): void {
    const before = this.#counts[head] ?? 0;
    this.#counts[head] = before + by;
    if (before !== 0 && before + by !== 0) return;
    const heads = [...this.#counts.keys()].filter((each) => (this.#counts[each] ?? 0) > 0).reverse();
    this.#ipv4Heads = heads.filter((each) => each < IPV6_BASE);
    this.#ipv6Heads = heads.filter((each) => each >= IPV6_BASE);
  }
}

/** Of the lookup that is going on. */
const ADDRESS = new Uint8Array(ADDRESS_BYTES);
/** One byte that says which kind of address and how long the prefix, then the bytes of the prefix. */
const KEY = new Uint8Array(1 + ADDRESS_BYTES);

/** Makes KEY out of ADDRESS; its length. */
function writeKey(head: number, prefix: number): number {
  const bytes = (prefix + 7) >> 3;
  KEY[0] = head;
  for (let at = 0; at < bytes; at++) KEY[at + 1] = ADDRESS[at] ?? 0;
  return bytes + 1;
}

/** Makes KEY out of a match; its length, 0 if it is no block. */
function keyOfBlock(match: string): number {
  const block = parseAddressBlock(match);
  if (block === undefined) return 0;
  const length = addressBytes(block.network, ADDRESS);
  return writeKey(block.prefix + (length === 4 ? 0 : IPV6_BASE), block.prefix);
}

function blockOfKey(key: Uint8Array): string {
  const head = key[0] ?? 0;
  const isIpv4 = head < IPV6_BASE;
  const address = new Uint8Array(ADDRESS_BYTES);
  address.set(key.subarray(1));
  return `${addressText(address, isIpv4 ? 4 : 16)}/${isIpv4 ? head : head - IPV6_BASE}`;
}
