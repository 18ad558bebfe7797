import type { Clock } from '../../../limiter/clock.ts';
import { placeText, type RedisEndpoint } from '../redis-address.ts';
import type { RedisLink } from '../redis-link.ts';

export interface ClusterNodesOptions {
  /** From which the others are learnt. */
  readonly seeds: readonly RedisEndpoint[];
  readonly connect: (node: RedisEndpoint) => RedisLink;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly onConnect: (node: string) => void;
}

export interface ClusterNode {
  /** `host:port` */
  readonly name: string;
  readonly endpoint: RedisEndpoint;
  readonly link: RedisLink;
}

interface HeldNode extends ClusterNode {
  /** When it was last listed, or wanted. */
  wantedMs: number;
}

/** A node that is no longer listed may still be on its way in: it is kept for so long. */
const UNLISTED_KEPT_MS = 15_000;
/** Redis advises against more. Whoever redirects to ever new addresses gets no further. */
const NODES_MAX = 1000;

/** One connection for each node of a cluster, masters and replicas, so that a promoted one is ready. */
export class ClusterNodes {
  readonly #options: ClusterNodesOptions;
  readonly #nodes = new Map<string, HeldNode>();
  #isClosed = false;

  constructor(options: ClusterNodesOptions) {
    this.#options = options;
    this.openSeeds();
  }

  /** Where nobody else is connected. */
  openSeeds(): void {
    for (const seed of this.#options.seeds) this.open(seed);
  }

  /** Connects to it, if that was not done before; undefined if there are too many. */
  open(endpoint: RedisEndpoint): ClusterNode | undefined {
    const name = placeText(endpoint);
    const { clock, connect, onConnect } = this.#options;
    const known = this.#nodes.get(name);
    if (known !== undefined) {
      known.wantedMs = clock.monotonicMs();
      return known;
    }
    if (this.#isClosed || this.#nodes.size >= NODES_MAX) return undefined;
    const link = connect(endpoint);
    link.onConnect(() => onConnect(name));
    const node = { name, endpoint, link, wantedMs: clock.monotonicMs() };
    this.#nodes.set(name, node);
    return node;
  }

  named(name: string): ClusterNode | undefined {
    return this.#nodes.get(name);
  }

  get connected(): readonly ClusterNode[] {
    return this.all.filter(({ link }) => link.isConnected);
  }

  get all(): readonly ClusterNode[] {
    return [...this.#nodes.values()];
  }

  /** These are the nodes now; what left is closed after a while. */
  list(endpoints: Iterable<RedisEndpoint>): void {
    for (const endpoint of endpoints) this.open(endpoint);
    const keptMs = this.#options.clock.monotonicMs() - UNLISTED_KEPT_MS;
    for (const { name, link, wantedMs } of this.#nodes.values()) {
      if (wantedMs >= keptMs) continue;
      this.#nodes.delete(name);
      link.close();
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const { link } of this.#nodes.values()) link.close();
  }
}
