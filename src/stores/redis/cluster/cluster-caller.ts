import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../../limiter/clock.ts';
import { CountersError } from '../../../limiter/counters.ts';
import type { CountersCondition } from '../../../limiter/counters-condition.ts';
import type { ClusterStats, RedisStats } from '../../../telemetry/metrics/store-stats.ts';
import type { StoreLog } from '../../store-log.ts';
import { placeText, type RedisEndpoint } from '../redis-address.ts';
import type { RedisLink, RedisLinkOptions } from '../redis-link.ts';
import {
  type Attempt,
  type CallerPart,
  type CallTiming,
  type ScriptCaller,
  SlotMoving,
} from '../script-caller.ts';
import { tagOf } from '../script-keys.ts';
import { probeKeyOf, type ShardCondition, wholeCondition } from './cluster-condition.ts';
import { type ClusterNode, ClusterNodes } from './cluster-nodes.ts';
import { MapKeeper } from './map-keeper.ts';
import { slotOf } from './slot.ts';
import { redirectionOf, type Shard } from './slot-map.ts';
import { summed } from './summed-stats.ts';

export interface ClusterCallerOptions {
  readonly seeds: readonly RedisEndpoint[];
  readonly connect: (node: RedisEndpoint, ties: NodeTies) => RedisLink;
  /** A call that has no answer by then is given up, wherever it was sent. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly log: Pick<StoreLog, 'info' | 'warn'>;
  /** How often the map of the slots is asked for while all is well; 5,000 ms if absent. */
  readonly refreshMs?: number;
}

/** What ties the link to a node to the cluster. */
export type NodeTies = Required<Pick<RedisLinkOptions, 'onClose' | 'probeKey'>>;

/** Slots that no node is known to have. */
const NOBODYS: CountersCondition = { state: 'unavailable', fault: 'clusterdown' };
const REFRESH_MS = 5000;
/** Where a slot is on its way, and some keys are here and some there. */
const TRY_AGAIN_MS = 5;
/** So long after it was last seen so, a slot is taken for one that is still on its way. */
const MOVING_MS = 1000;
/** A cluster in which a call is sent on more often than this is not of one mind. */
const REDIRECTIONS_MAX = 8;

interface Target {
  readonly node: ClusterNode;
  readonly isAsking: boolean;
}

/**
 * Calls scripts in a Redis Cluster, each where its slot is. What a node hands on (MOVED, ASK, TRYAGAIN) it has
 * not run, and it is sent again within the time of the call. Each node has its own clock and breaker
 * (RedisLink), so that one that is away costs its own slots only.
 */
export class ClusterCaller implements ScriptCaller {
  readonly #options: ClusterCallerOptions;
  readonly #nodes: ClusterNodes;
  readonly #keeper: MapKeeper;
  readonly #connectListeners: (() => void)[] = [];
  readonly #firstTry = Promise.withResolvers<boolean>();
  /** Slots that are on their way, each with when it was last seen so. */
  readonly #moving = new Map<number, number>();
  readonly #counts = { calls: 0, timeouts: 0, failures: 0, moved: 0, asked: 0, triedAgain: 0 };

  constructor(options: ClusterCallerOptions) {
    this.#options = options;
    const { clock, log, seeds, refreshMs = REFRESH_MS } = options;
    this.#nodes = new ClusterNodes({
      clock,
      seeds,
      connect: (node) =>
        options.connect(node, {
          onClose: () => this.#keeper.hurry(),
          probeKey: () => probeKeyOf(this.#keeper.map, placeText(node)),
        }),
      onConnect: (name) => this.#connected(name),
    });
    this.#keeper = new MapKeeper({
      nodes: this.#nodes,
      clock,
      log,
      refreshMs,
      onChange: () => void this.#changed(),
    });
    void Promise.all(this.#nodes.all.map(({ link }) => link.firstTry())).then((tries) => {
      if (!tries.includes(true)) this.#firstTry.resolve(false);
    });
  }

  async within<Result>(
    key: string,
    call: (attempt: () => Attempt) => Promise<Result>,
    { givenUpMs, isDivisible = false }: CallTiming = {},
  ): Promise<Result> {
    const { clock, timeoutMs } = this.#options;
    this.#counts.calls++;
    try {
      const untilMs = givenUpMs ?? clock.monotonicMs() + timeoutMs;
      return await this.#route(slotOf(key), call, { givenUpMs: untilMs, isDivisible });
    } catch (error) {
      if (error instanceof CountersError && error.fault === 'timeout') this.#counts.timeouts++;
      else if (!(isDivisible && error instanceof SlotMoving)) this.#counts.failures++;
      throw error;
    }
  }

  readonly groupOf = (key: string): string => {
    const tag = tagOf(key);
    // Keys of one slot that is on its way are partly here and partly there: each goes by itself.
    return this.#isMoving(slotOf(tag)) ? key : tag;
  };

  readonly parts = (): readonly CallerPart[] => {
    const { map } = this.#keeper;
    return map.shards.flatMap(({ master, slots, tag }) => {
      if (tag === undefined) return [];
      const isConnected = this.#nodes.named(master)?.link.isConnected === true;
      return [{ tag, name: slots, isConnected, has: (key) => map.masterOf(slotOf(tagOf(key))) === master }];
    });
  };

  storeNowMs(): number {
    const [first] = this.#nodes.connected;
    return first?.link.storeNowMs() ?? this.#options.clock.nowMs();
  }

  firstTry(): Promise<boolean> {
    return this.#firstTry.promise;
  }

  onConnect(listener: () => void): void {
    this.#connectListeners.push(listener);
  }

  readonly partOf = (key: string): string => this.#keeper.map.masterOf(slotOf(tagOf(key))) ?? '';

  async condition(key?: string): Promise<CountersCondition> {
    if (key !== undefined) return this.#conditionOf(this.partOf(key));
    const { map } = this.#keeper;
    const [seed] = this.#nodes.all;
    if (map.shards.length === 0)
      return { ...NOBODYS, ...(await seed?.link.condition()), state: 'unavailable' };
    const conditions = map.shards.map(async ({ master, slots }) => ({
      slots,
      ...(await this.#conditionOf(master)),
    }));
    const shards: ShardCondition[] = await Promise.all(conditions);
    if (!map.isWhole) shards.push({ slots: map.unowned, ...NOBODYS });
    return wholeCondition(shards);
  }

  stats(): RedisStats {
    const { moved, asked, triedAgain, ...counts } = this.#counts;
    const nodes = this.#nodes.all.map(({ name, link }) => ({ name, stats: link.stats() }));
    const cluster: ClusterStats = {
      nodes: nodes.map(({ name, stats }) => ({ name, isConnected: stats.isConnected })),
      shards: this.#keeper.map.shards.length,
      shardsAway: this.#shardsAway(),
      redirections: { moved, ask: asked, tryagain: triedAgain },
      ...this.#keeper.stats(),
    };
    const isConnected = cluster.shards > 0 && cluster.shardsAway === 0;
    return { ...summed(nodes.map(({ stats }) => stats)), ...counts, isConnected, cluster };
  }

  close(): void {
    this.#keeper.close();
    this.#nodes.close();
    this.#firstTry.resolve(false);
  }

  /** Those that can't be called now; slots that are nobody's count as one. */
  #shardsAway(): number {
    const { map } = this.#keeper;
    const isAway = ({ master }: Shard) => this.#nodes.named(master)?.link.isConnected !== true;
    return map.shards.filter(isAway).length + (map.isWhole ? 0 : 1);
  }

  async #conditionOf(master: string): Promise<CountersCondition> {
    return this.#nodes.named(master)?.link.condition() ?? NOBODYS;
  }

  get #masters(): ClusterNode[] {
    return this.#keeper.map.shards.flatMap(({ master }) => this.#nodes.named(master) ?? []);
  }

  async #route<Result>(
    slot: number,
    call: (attempt: () => Attempt) => Promise<Result>,
    { givenUpMs, isDivisible }: Required<CallTiming>,
  ): Promise<Result> {
    let target: Target | undefined;
    for (let redirections = 0; ; redirections++) {
      const { node, isAsking } = target ?? { node: this.#ownerOf(slot), isAsking: false };
      if (redirections > 0) await this.#untilConnected(node, givenUpMs);
      try {
        return await node.link.until({ givenUpMs, isAsking }, call);
      } catch (error) {
        const next = this.#sentOn(error, slot, node);
        if (next === undefined) throw error;
        if (next === 'try again') {
          if (isDivisible || !this.#hasTime(givenUpMs)) throw new SlotMoving({ cause: error });
          await delay(TRY_AGAIN_MS);
          redirections = 0;
          target = undefined;
        } else {
          if (redirections >= REDIRECTIONS_MAX) throw error;
          target = next;
        }
      }
    }
  }

  #ownerOf(slot: number): ClusterNode {
    const master = this.#keeper.map.masterOf(slot);
    const node = master === undefined ? undefined : this.#nodes.named(master);
    if (node !== undefined) return node;
    this.#keeper.hurry();
    throw new CountersError('unavailable', `Redis: no node of the cluster is known for slot ${slot}`);
  }

  /** Where a call goes that was not run; undefined: it failed. */
  #sentOn(error: unknown, slot: number, from: ClusterNode): Target | 'try again' | undefined {
    const message = error instanceof CountersError && error.cause instanceof Error ? error.cause.message : '';
    if (message.startsWith('TRYAGAIN')) {
      this.#counts.triedAgain++;
      this.#seenMoving(slot);
      return 'try again';
    }
    const redirection = redirectionOf(message, from.endpoint);
    if (redirection === undefined) {
      // CLUSTERDOWN, a dead connection, a node that is silent: another one may have the slot by now.
      this.#keeper.hurry();
      return undefined;
    }
    const node = this.#nodes.open(redirection.node);
    if (node === undefined) return undefined;
    if (redirection.kind === 'ask') {
      this.#counts.asked++;
      this.#seenMoving(slot);
      return { node, isAsking: true };
    }
    this.#counts.moved++;
    this.#moving.delete(slot);
    this.#keeper.map.correct(slot, node.name);
    this.#keeper.hurry();
    return { node, isAsking: false };
  }

  async #untilConnected({ link }: ClusterNode, givenUpMs: number): Promise<void> {
    while (!link.isConnected && this.#hasTime(givenUpMs)) await delay(TRY_AGAIN_MS);
  }

  #hasTime(givenUpMs: number): boolean {
    return this.#options.clock.monotonicMs() + 2 * TRY_AGAIN_MS < givenUpMs;
  }

  #seenMoving(slot: number): void {
    this.#moving.set(slot, this.#options.clock.monotonicMs());
  }

  #isMoving(slot: number): boolean {
    const seenMs = this.#moving.get(slot);
    if (seenMs === undefined) return false;
    if (this.#options.clock.monotonicMs() < seenMs + MOVING_MS) return true;
    this.#moving.delete(slot);
    return false;
  }

  #connected(name: string): void {
    this.#keeper.hurry();
    if (this.#masters.some((node) => node.name === name)) this.#tell();
  }

  async #changed(): Promise<void> {
    this.#tell();
    const tries = await Promise.all(this.#masters.map(({ link }) => link.firstTry()));
    this.#firstTry.resolve(tries.includes(true));
  }

  #tell(): void {
    for (const listener of this.#connectListeners) listener();
  }
}
