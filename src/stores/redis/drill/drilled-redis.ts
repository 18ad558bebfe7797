import type { Redis } from 'ioredis';
import type { Clock } from '../../../limiter/clock.ts';
import { readSlotMap } from '../cluster/read-slot-map.ts';
import type { SlotMap } from '../cluster/slot-map.ts';
import { closeClient, openClient, withoutCommand } from '../connection.ts';
import { openMoveTarget } from '../move-target.ts';
import { openMaster } from '../open-master.ts';
import { placeText, type RedisAddress, type RedisEndpoint } from '../redis-address.ts';
import { readyClient } from '../sentinel/ready-client.ts';
import { fieldsOf } from '../sentinel/sentinel-view.ts';

const TIMEOUT_MS = 3000;
const NO_REPLICA_OF_CLUSTER = 'no master of the cluster has a replica that could take over';
/** By which flags a Sentinel passes a replica over. */
const AWAY = ['s_down', 'o_down', 'disconnected'] as const;

/** What can be done to the Redis of an installation to see how it stands it. Each rejects where it can't be done. */
export class DrilledRedis {
  readonly #address: RedisAddress;
  readonly #terms: { readonly timeoutMs: number; readonly clock: Clock };

  constructor(address: RedisAddress, clock: Clock) {
    this.#address = address;
    this.#terms = { timeoutMs: TIMEOUT_MS, clock };
  }

  get kind(): RedisAddress['place']['kind'] {
    return this.#address.place.kind;
  }

  /** The masters as they are now: `10.0.0.7:6379`. */
  async masters(): Promise<string[]> {
    const { place, login } = this.#address;
    if (place.kind === 'cluster') {
      const map = await readSlotMap({ place, login }, this.#terms);
      return map.shards.map(({ master }) => master);
    }
    const master = await openMaster({ ...this.#address, place }, this.#terms);
    try {
      const { server } = place.kind === 'single' ? place : { server: master.whereabouts.current() };
      return server === undefined ? [] : [placeText(server)];
    } finally {
      master.close();
    }
  }

  /**
   * Why none could be promoted now, as far as those tell who would be asked to: that is for a while after it was
   * started, or when its priority is 0. Null: one can, or nobody tells.
   */
  async whyNoReplica(): Promise<string | null> {
    const { place, login } = this.#address;
    if (place.kind === 'cluster') {
      const map = await readSlotMap({ place, login }, this.#terms);
      return anyReplica(map) === undefined ? NO_REPLICA_OF_CLUSTER : null;
    }
    if (place.kind === 'single') return null;
    for (const sentinel of place.sentinels) {
      const client = openClient(sentinel, place.sentinelLogin);
      try {
        await readyClient(client);
        return unusableReplicas(await client.call('SENTINEL', 'REPLICAS', place.master));
      } catch {
        // The next one may tell; none: it shows when it is begun.
      } finally {
        closeClient(client);
      }
    }
    return null;
  }

  /** Has a replica promoted while the master lives. Gives what was told to do so. */
  failOver(): Promise<string> {
    const { place } = this.#address;
    if (place.kind === 'sentinel') return this.#bySentinel(place);
    if (place.kind === 'cluster') return this.#byReplica(place);
    throw new Error('one Redis alone has no replica that could take over');
  }

  /** All masters hold their clients' calls; it ends by itself after that time, and no sooner. */
  async pause(ms: number): Promise<void> {
    await this.#withMasters((clients) =>
      Promise.all(clients.map((client) => client.call('CLIENT', 'PAUSE', String(ms), 'ALL'))),
    );
  }

  /**
   * All masters hold what writes while `work` runs, and after it until that time is over; not where `work` rejects:
   * then what was held goes on at once.
   */
  whileWritesWait<Result>(ms: number, work: () => Promise<Result>): Promise<Result> {
    return this.#withMasters(async (clients) => {
      const tellAll = (...words: readonly [string, ...string[]]) =>
        Promise.allSettled(clients.map((client) => client.call('CLIENT', ...words)));
      try {
        const paused = await tellAll('PAUSE', String(ms), 'WRITE');
        const refused = paused.find((each) => each.status === 'rejected');
        if (refused !== undefined) throw withoutCommand(refused.reason);
        return await work();
      } catch (error) {
        await tellAll('UNPAUSE');
        throw error;
      }
    });
  }

  /** Removes the mark by which Brume knows that nothing was lost: it takes everything for lost. */
  async forget(): Promise<void> {
    const { masters, clientOf, epochKeys } = await openMoveTarget(this.#address, this.#terms);
    try {
      for (const key of epochKeys) await clientOf(key).del(key);
    } finally {
      for (const { close } of masters) close();
    }
  }

  async #withMasters<Result>(work: (clients: readonly Redis[]) => Promise<Result>): Promise<Result> {
    const { masters } = await openMoveTarget(this.#address, this.#terms);
    try {
      return await work(masters.map(({ client }) => client));
    } finally {
      for (const { close } of masters) close();
    }
  }

  async #bySentinel({
    sentinels,
    master,
    sentinelLogin,
  }: Extract<RedisAddress['place'], { kind: 'sentinel' }>): Promise<string> {
    let fault: unknown = new Error('no Sentinel is known');
    for (const sentinel of sentinels) {
      const client = openClient(sentinel, sentinelLogin);
      try {
        await readyClient(client);
        await client.call('SENTINEL', 'FAILOVER', master);
        return `SENTINEL FAILOVER ${master} at ${placeText(sentinel)}`;
      } catch (error) {
        fault = withoutCommand(error);
      } finally {
        closeClient(client);
      }
    }
    throw fault;
  }

  /** That of the first shard that has one. */
  async #byReplica(place: Extract<RedisAddress['place'], { kind: 'cluster' }>): Promise<string> {
    const { login } = this.#address;
    const map = await readSlotMap({ place, login }, this.#terms);
    const replica = anyReplica(map);
    if (replica === undefined) throw new Error(NO_REPLICA_OF_CLUSTER);
    const [name, endpoint] = replica;
    const server = { kind: 'single', server: endpoint } as const;
    const terms = { ...this.#terms, mayBeReplica: true };
    const { client, close } = await openMaster({ place: server, login, database: 0 }, terms);
    try {
      await client.call('CLUSTER', 'FAILOVER');
      return `CLUSTER FAILOVER at ${name}`;
    } finally {
      close();
    }
  }
}

function anyReplica({
  shards,
  nodes,
}: Pick<SlotMap, 'shards' | 'nodes'>): [string, RedisEndpoint] | undefined {
  const masters = new Set(shards.map(({ master }) => master));
  return [...nodes].find(([name]) => !masters.has(name));
}

/** Of the answer to SENTINEL REPLICAS: a list of names and values for each. */
function unusableReplicas(answer: unknown): string | null {
  const replicas = (Array.isArray(answer) ? answer : []).map(fieldsOf);
  if (replicas.length === 0) return 'the Sentinels know of no replica';
  const whyNot = replicas.map((fields) => {
    const away = AWAY.find((flag) => fields.get('flags')?.split(',').includes(flag));
    if (away !== undefined) return `${fields.get('name')} is ${away}`;
    if (fields.get('slave-priority') === '0') return `${fields.get('name')} has replica-priority 0`;
    if (fields.get('master-link-status') === 'err') return `${fields.get('name')} has no link to its master`;
    return null;
  });
  return whyNot.includes(null) ? null : whyNot.join(', ');
}
