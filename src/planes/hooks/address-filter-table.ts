import { RecentMap } from '../../limiter/recent-map.ts';
import { ADDRESS_BYTES, addressBytes } from '../../policy/exceptions/address-bytes.ts';

export interface AddressFilterOptions {
  /** Calls a second. */
  readonly rate: number;
  /** Calls at once. */
  readonly burst: number;
  /** By how many leading bits an IPv6 address is counted. */
  readonly ipv6Prefix: number;
  readonly clock: { monotonicMs(): number };
  readonly addressesMax?: number;
}

/**
 * About 12 MB when full. Whoever has more addresses than that needs no bucket to be forgotten: each
 * of them has a burst of its own.
 */
const ADDRESSES_MAX = 100_000;

interface Bucket {
  /** When it will be empty again; kept instead of a level, which would have to be drained (gcra). */
  emptyAtMs: number;
}

/** How many calls each client address may make before it has shown a valid key. In this process only. */
export class AddressFilterTable {
  readonly #options: AddressFilterOptions;
  readonly #intervalMs: number;
  readonly #roomMs: number;
  readonly #buckets: RecentMap<Bucket>;
  readonly #bytes = new Uint8Array(ADDRESS_BYTES);

  constructor(options: AddressFilterOptions) {
    this.#options = options;
    this.#intervalMs = 1000 / options.rate;
    this.#roomMs = options.burst * this.#intervalMs;
    this.#buckets = new RecentMap(options.addressesMax ?? ADDRESSES_MAX);
  }

  /** Addresses that are remembered. */
  get size(): number {
    return this.#buckets.size;
  }

  /** What an address is counted as; `address` as plainAddress gives it. */
  keyOf(address: string): string {
    if (!address.includes(':') || addressBytes(address, this.#bytes) === 0) return address;
    // Not as text: writing an address costs more than all the rest here. No IPv4 address has a colon.
    let key = ':';
    for (let at = 0, bits = this.#options.ipv6Prefix; bits > 0; at += 2, bits -= 16) {
      const group = ((this.#bytes[at] ?? 0) << 8) | (this.#bytes[at + 1] ?? 0);
      key += String.fromCharCode(bits >= 16 ? group : group & (0xffff << (16 - bits)));
    }
    return key;
  }

  /** Takes a call: 0, or if there is none left, after how many whole seconds there will be one. */
  take(key: string): number {
    const nowMs = this.#options.clock.monotonicMs();
    const bucket = this.#buckets.get(key);
    if (bucket === undefined) {
      this.#buckets.set(key, { emptyAtMs: nowMs + this.#intervalMs });
      return 0;
    }
    const emptyAtMs = Math.max(nowMs, bucket.emptyAtMs) + this.#intervalMs;
    const overMs = emptyAtMs - nowMs - this.#roomMs;
    // The sum of many intervals is off by less than this.
    if (overMs > ROUNDING_MS) return Math.max(1, Math.ceil(overMs / 1000));
    bucket.emptyAtMs = emptyAtMs;
    return 0;
  }

  /** The call came with a valid key after all. */
  giveBack(key: string): void {
    const bucket = this.#buckets.get(key);
    if (bucket === undefined) return;
    bucket.emptyAtMs -= this.#intervalMs;
    if (bucket.emptyAtMs <= this.#options.clock.monotonicMs()) this.#buckets.delete(key);
  }
}

const ROUNDING_MS = 1e-6;
