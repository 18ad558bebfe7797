import type { Clock } from '../../../limiter/clock.ts';
import type { StoreLog } from '../../store-log.ts';
import { withoutCommand } from '../connection.ts';
import { clusterFault } from '../unfit-redis.ts';
import type { ClusterNode, ClusterNodes } from './cluster-nodes.ts';
import { SlotMap, slotRangesOf } from './slot-map.ts';

export interface MapKeeperOptions {
  readonly nodes: ClusterNodes;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly log: Pick<StoreLog, 'info' | 'warn'>;
  /** How often the map is asked for while all is well. */
  readonly refreshMs: number;
  /** Other servers have the slots now. */
  readonly onChange: () => void;
}

/** While a master is away, or slots are nobody's. */
const TROUBLED_REFRESH_MS = 250;
/** However many calls are sent elsewhere. */
const REFRESH_MS_MIN = 100;
/** After so many answers in a row from an earlier epoch it is the cluster that is another one. */
const OLDER_ANSWERS_MAX = 20;
const WARNING_INTERVAL_MS = 30_000;

/** Keeps the map of a cluster, by asking one node after the other. */
export class MapKeeper {
  map = new SlotMap();
  readonly #options: MapKeeperOptions;
  #timer: NodeJS.Timeout | undefined;
  #dueMs = Number.POSITIVE_INFINITY;
  #startedMs = Number.NEGATIVE_INFINITY;
  #isRefreshing = false;
  #isClosed = false;
  #turn = 0;
  /** The highest epoch that the cluster was seen in: who tells of an earlier one has not heard the latest. */
  #epoch = 0;
  #olderAnswers = 0;
  #masters = '';
  #quietUntilMs = Number.NEGATIVE_INFINITY;
  readonly #counts = { refreshes: 0, refreshFailures: 0 };

  constructor(options: MapKeeperOptions) {
    this.#options = options;
    this.#schedule(this.#pauseMs());
  }

  stats() {
    return { ...this.#counts };
  }

  /** Asks as soon as may be. */
  hurry(): void {
    const sinceMs = this.#options.clock.monotonicMs() - this.#startedMs;
    this.#schedule(Math.max(0, REFRESH_MS_MIN - sinceMs));
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #schedule(inMs: number): void {
    const dueMs = this.#options.clock.monotonicMs() + inMs;
    if (this.#isClosed || this.#isRefreshing || dueMs >= this.#dueMs) return;
    clearTimeout(this.#timer);
    this.#dueMs = dueMs;
    this.#timer = setTimeout(() => void this.#refresh(), inMs);
    this.#timer.unref();
  }

  #pauseMs(): number {
    return this.#isTroubled() ? TROUBLED_REFRESH_MS : this.#options.refreshMs;
  }

  #isTroubled(): boolean {
    const { nodes } = this.#options;
    return (
      !this.map.isWhole ||
      this.map.shards.some(({ master }) => nodes.named(master)?.link.isConnected !== true)
    );
  }

  /** Never rejects. */
  async #refresh(): Promise<void> {
    const { nodes, clock } = this.#options;
    this.#dueMs = Number.POSITIVE_INFINITY;
    this.#isRefreshing = true;
    this.#startedMs = clock.monotonicMs();
    const { connected } = nodes;
    const asked = connected[this.#turn++ % Math.max(1, connected.length)];
    try {
      if (asked === undefined) nodes.openSeeds();
      else await this.#ask(asked);
    } catch (error) {
      this.#counts.refreshFailures++;
      this.#warnSeldom(asked?.name, error);
    } finally {
      this.#isRefreshing = false;
      this.#schedule(this.#pauseMs());
    }
  }

  /** Rejects where the node gives no map; where it may not be asked for its epoch, it is believed. */
  async #ask({ endpoint, link }: ClusterNode): Promise<void> {
    const { nodes } = this.#options;
    const [slots, info] = await Promise.all([
      link.ask('CLUSTER', 'SLOTS'),
      link.ask('CLUSTER', 'INFO').catch(() => ''),
    ]);
    const ranges = slotRangesOf(slots, endpoint);
    if (ranges.length === 0) throw new Error('this node knows of no slots: it is in no cluster');
    if (this.#isOlder(Number(/^cluster_current_epoch:(\d+)/m.exec(String(info))?.[1] ?? 0))) return;
    this.#counts.refreshes++;
    this.map = new SlotMap(ranges);
    nodes.list(this.map.nodes.values());
    const masters = this.map.shards.map(({ master, slots: own }) => `${master} ${own}`).join(' ');
    if (masters === this.#masters) return;
    this.#masters = masters;
    this.#options.log.info(
      { shards: this.map.shards.length, nodes: this.map.nodes.size },
      'the cluster has shared out its slots',
    );
    this.#options.onChange();
  }

  #isOlder(epoch: number): boolean {
    const isOlder = epoch < this.#epoch && ++this.#olderAnswers <= OLDER_ANSWERS_MAX;
    if (isOlder) return true;
    this.#epoch = epoch;
    this.#olderAnswers = 0;
    return false;
  }

  #warnSeldom(node: string | undefined, error: unknown): void {
    const nowMs = this.#options.clock.monotonicMs();
    if (nowMs < this.#quietUntilMs) return;
    this.#quietUntilMs = nowMs + WARNING_INTERVAL_MS;
    this.#options.log.warn(
      { node, err: withoutCommand(clusterFault(error, node ?? '')) },
      'a node of the cluster did not say who has which slots',
    );
  }
}
