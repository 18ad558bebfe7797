import { placeText, type RedisEndpoint } from '../redis-address.ts';
import { PARTITIONS, partitionTag } from '../script-keys.ts';
import { SLOTS, slotOf } from './slot.ts';

/** Slots in a row that one master has. */
export interface SlotRange {
  readonly first: number;
  readonly last: number;
  readonly master: RedisEndpoint;
  readonly replicas: readonly RedisEndpoint[];
}

/** One master with its slots. */
export interface Shard {
  /** `host:port` */
  readonly master: string;
  /** As `0-5460,10923`. */
  readonly slots: string;
  /** The lowest partition tag whose slot it has; undefined: none. */
  readonly tag: string | undefined;
}

/** The slot of each partition tag: each has one of its own. */
const TAG_SLOTS: readonly number[] = Array.from({ length: PARTITIONS }, (_, partition) =>
  slotOf(partitionTag(partition)),
);

/** Which node has which slot, as a cluster told it last and redirections have corrected it since. */
export class SlotMap {
  readonly #masters: (string | undefined)[] = new Array(SLOTS);
  /** All nodes, replicas included, by `host:port`. */
  readonly nodes: ReadonlyMap<string, RedisEndpoint>;
  #shards: readonly Shard[] | undefined;
  #isWhole: boolean | undefined;

  constructor(ranges: readonly SlotRange[] = []) {
    const nodes = new Map<string, RedisEndpoint>();
    for (const { first, last, master, replicas } of ranges) {
      this.#masters.fill(placeText(master), first, last + 1);
      for (const node of [master, ...replicas]) nodes.set(placeText(node), node);
    }
    this.nodes = nodes;
  }

  /** Undefined: nobody has it, as far as is known. */
  masterOf(slot: number): string | undefined {
    return this.#masters[slot];
  }

  /** A node said that the slot is another's now. */
  correct(slot: number, master: string): void {
    this.#masters[slot] = master;
    this.#shards = undefined;
    this.#isWhole = undefined;
  }

  /** Those that have slots. */
  get shards(): readonly Shard[] {
    this.#shards ??= shardsOf(this.#masters);
    return this.#shards;
  }

  get isWhole(): boolean {
    this.#isWhole ??= !this.#masters.includes(undefined);
    return this.#isWhole;
  }

  /** The slots that nobody has, as those of a shard are written. */
  get unowned(): string {
    const owned = this.#masters;
    return (
      rangesOf(Array.from({ length: SLOTS }, (_, slot) => (owned[slot] === undefined ? '' : undefined))).get(
        '',
      ) ?? ''
    );
  }
}

/** Of each master its slots, as `0-5460,10923`. */
function rangesOf(masters: readonly (string | undefined)[]): ReadonlyMap<string, string> {
  const slots = new Map<string, string[]>();
  for (let first = 0; first < SLOTS; ) {
    const master = masters[first];
    let last = first;
    while (last + 1 < SLOTS && masters[last + 1] === master) last++;
    if (master !== undefined)
      slots.set(master, [...(slots.get(master) ?? []), first === last ? `${first}` : `${first}-${last}`]);
    first = last + 1;
  }
  return new Map(Array.from(slots, ([master, own]) => [master, own.join(',')]));
}

function shardsOf(masters: readonly (string | undefined)[]): Shard[] {
  const tags = new Map<string, string>();
  TAG_SLOTS.forEach((slot, partition) => {
    const master = masters[slot];
    if (master !== undefined && !tags.has(master)) tags.set(master, partitionTag(partition));
  });
  return Array.from(rangesOf(masters), ([master, slots]) => ({ master, slots, tag: tags.get(master) }));
}

/**
 * Of the reply to CLUSTER SLOTS. A node without a host that it would name (null, empty or `?`, of one whose
 * name isn't known) is where it says its address is, or else at the host that was asked.
 *
 * Throws RangeError where the reply isn't of that form.
 */
export function slotRangesOf(reply: unknown, asked: RedisEndpoint): SlotRange[] {
  return arrayOf(reply).map((range) => {
    const [first, last, ...nodes] = arrayOf(range);
    const [master, ...replicas] = nodes.map((node) => endpointOf(node, asked));
    if (!isSlot(first) || !isSlot(last) || first > last || master === undefined) throw strange();
    return { first, last, master, replicas: replicas.filter((node) => node !== undefined) };
  });
}

function endpointOf(node: unknown, asked: RedisEndpoint): RedisEndpoint | undefined {
  const [host, port, , metadata] = arrayOf(node);
  if (typeof port !== 'number' || port < 1 || port > 65_535) return undefined;
  if (typeof host === 'string' && host !== '' && host !== '?') return { host, port };
  const fields = Array.isArray(metadata) ? metadata.map(String) : [];
  const ip = fields[fields.indexOf('ip') + 1];
  return { host: fields.includes('ip') && ip !== undefined && ip !== '' ? ip : asked.host, port };
}

/** `MOVED SLOT HOST:PORT` and `ASK SLOT HOST:PORT`; without a host, that of the server that said so. */
export function redirectionOf(message: string, asked: RedisEndpoint): Redirection | undefined {
  const [, kind, slot, host, port] = /^(MOVED|ASK) (\d+) (.*):(\d+)$/.exec(message) ?? [];
  if (host === undefined || !isSlot(Number(slot))) return undefined;
  const known = host === '' || host === '?' ? asked.host : host;
  return {
    kind: kind === 'ASK' ? 'ask' : 'moved',
    slot: Number(slot),
    node: { host: known, port: Number(port) },
  };
}

export interface Redirection {
  readonly kind: 'moved' | 'ask';
  readonly slot: number;
  readonly node: RedisEndpoint;
}

function isSlot(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < SLOTS;
}

function arrayOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw strange();
  return value;
}

function strange(): RangeError {
  return new RangeError('the reply to CLUSTER SLOTS is not of its form');
}
