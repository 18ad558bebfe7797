import { createHmac, randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { assetText } from '../../assets.ts';
import type { Clock } from '../../limiter/clock.ts';
import type { LimitSet } from '../../limiter/counters.ts';
import { systemTimers } from '../cache/timers.ts';
import type { Entry } from '../embedded/entry.ts';
import type { StoreLog } from '../store-log.ts';
import { withoutCommand } from './connection.ts';
import { entryCommands, knownSetsOf, type RedisCommand } from './entry-commands.ts';
import { MoveError } from './move-error.ts';
import { type MoveTarget, openMoveTarget } from './move-target.ts';
import { Ownership } from './ownership.ts';
import { type RedisAccess, redisAddressOf } from './redis-address.ts';

/** Stands while counters are being moved here, and names the installation that they are of. */
const MOVING_KEY = '{brume}moving';
const STATE_KEYS = '{p*';

const READY_TIMEOUT_MS = 5000;
const CALL_TIMEOUT_MS = 30_000;
/** Windows would end early or late by as much. */
const CLOCKS_APART_MS_MAX = 5000;
const ENTRIES_AT_ONCE = 200;

export interface MovedCountersOptions {
  readonly url: string;
  /** What the URL doesn't say. */
  readonly access?: RedisAccess | undefined;
  readonly identifierSecret: Uint8Array;
  readonly holder: string;
  readonly clock: Clock;
  readonly log: StoreLog;
  /** Tests only: see EntryMoment. */
  readonly ttlMarginMs?: number;
}

/**
 * Embedded counters on their way into a Redis that holds nothing of Brume's: all of them or, after
 * `abandon`, none. Where the process ends in between, the next attempt finds the mark, and begins anew.
 */
export class MovedCounters {
  readonly #options: MovedCountersOptions;
  readonly #target: MoveTarget;
  readonly #ownership: Ownership;
  readonly #installation: string;

  private constructor(options: MovedCountersOptions, target: MoveTarget) {
    this.#options = options;
    this.#target = target;
    this.#ownership = new Ownership({ ...options, timers: systemTimers });
    this.#installation = createHmac('sha256', options.identifierSecret).update('move').digest('base64url');
  }

  /** Claims the Redis and clears away what an earlier attempt left. Rejects with MoveError. */
  static async begin(options: MovedCountersOptions): Promise<MovedCounters> {
    const moved = new MovedCounters(options, await connected(options));
    try {
      moved.#assertSameTime();
      await moved.#claim();
      await moved.#assertEmpty();
      await moved.#call(() => moved.#marked.set(MOVING_KEY, moved.#installation));
      return moved;
    } catch (error) {
      await moved.#end();
      throw error;
    }
  }

  /**
   * Resolves with how many identifiers there were. An answer under a request id is repeated as it was if it went
   * by one of the sets; by another it stays admitted, and is told how things stand. Rejects with MoveError.
   */
  async write(entries: Iterable<[string, Entry]>, sets: Iterable<LimitSet>): Promise<number> {
    const knownSets = knownSetsOf(sets);
    const { clock, ttlMarginMs = 0 } = this.#options;
    let count = 0;
    let commands: RedisCommand[] = [];
    for (const [key, entry] of entries) {
      const moment = { nowMs: clock.nowMs(), monotonicMs: clock.monotonicMs(), ttlMarginMs };
      if (entry.expiresMonotonicMs <= moment.monotonicMs) continue;
      commands.push(...entryCommands(key, entry, moment, knownSets));
      if (++count % ENTRIES_AT_ONCE !== 0) continue;
      await this.#send(commands);
      commands = [];
    }
    await this.#send(commands);
    await this.#markAsWhole();
    return count;
  }

  /** The other store has its part, too: what was written is the installation's. */
  async complete(): Promise<void> {
    try {
      await this.#call(() => this.#marked.del(MOVING_KEY));
    } finally {
      await this.#end();
    }
  }

  /** Takes everything out again. Never rejects: what can't be removed the next attempt removes. */
  async abandon(): Promise<void> {
    try {
      await this.#clear();
      await this.#call(() => this.#marked.del(MOVING_KEY));
    } catch {
      // The mark is still there.
    } finally {
      await this.#end();
    }
  }

  /** Leaves everything as it is, with the mark. */
  async leave(): Promise<void> {
    await this.#end();
  }

  /** The server that has the mark. */
  get #marked(): Redis {
    return this.#target.clientOf(MOVING_KEY);
  }

  #assertSameTime(): void {
    const hereMs = this.#options.clock.nowMs();
    const apartMs = Math.max(...this.#target.masters.map(({ nowMs }) => Math.abs(nowMs - hereMs)));
    if (this.#options.ttlMarginMs !== undefined || apartMs <= CLOCKS_APART_MS_MAX) return;
    throw new MoveError(
      `The clock of Redis and that of this machine are ${Math.round(apartMs / 1000)} s apart, and what is counted ` +
        'would end early or late by as much. Set the clocks (chrony, systemd-timesyncd), then repeat.',
    );
  }

  async #claim(): Promise<void> {
    const rival = await this.#ownership.begin();
    if (rival !== undefined) {
      throw new MoveError(
        `Another live installation counts in this Redis (${rival}). Give this one a Redis or a database number of its own.`,
      );
    }
  }

  async #assertEmpty(): Promise<void> {
    const moving = await this.#call(() => this.#marked.get(MOVING_KEY));
    if (moving === this.#installation) return this.#clear();
    const [found] = (await this.#scan().next()).value ?? [];
    if (moving === null && found === undefined) return;
    const whose = moving === null ? 'counters of another Brume' : 'what is left of the move of another Brume';
    throw new MoveError(
      `This Redis holds ${whose}. Give this one a Redis or a database number of its own (redis://HOST/1), or empty it (FLUSHDB).`,
    );
  }

  /** Keys of Brume's counters, some at a time, of one server; never none at a time. */
  async *#scan(): AsyncGenerator<string[]> {
    for (const { client } of this.#target.masters) {
      let cursor = '0';
      do {
        const [next, keys] = await this.#call(() => client.scan(cursor, 'MATCH', STATE_KEYS, 'COUNT', 1000));
        cursor = next;
        // Not the claim and the mark of a shard, which are no counters.
        const own = keys.filter((key) => /^\{p\d+\}[\w-]/.test(key));
        if (own.length > 0) yield own;
      } while (cursor !== '0');
    }
  }

  async #clear(): Promise<void> {
    for await (const keys of this.#scan()) await this.#pipe(keys.map((key) => ['del', key]));
    await this.#pipe(this.#target.epochKeys.map((key) => ['del', key]));
  }

  /** So that no node takes this Redis for one that lost what was counted, see lua/epoch.lua. */
  async #markAsWhole(): Promise<void> {
    const script = assetText('lua/epoch.lua');
    for (const key of this.#target.epochKeys) {
      const call = (name: string, mark: string) =>
        this.#call(() => this.#target.clientOf(key).eval(script, 1, key, name, mark));
      const mark = String(await call('begin', randomBytes(12).toString('base64url')));
      if (String(await call('finish', mark)) !== mark)
        throw new MoveError('Redis lost what was written. Repeat the move.');
    }
  }

  async #send(commands: readonly RedisCommand[]): Promise<void> {
    if (commands.length === 0) return;
    const refusal = this.#ownership.refusal();
    if (refusal !== undefined) throw new MoveError(`Redis: ${refusal}. Repeat the move.`);
    await this.#pipe(commands);
  }

  /** Each where its key is, in order. */
  async #pipe(commands: readonly RedisCommand[]): Promise<void> {
    const byServer = Map.groupBy(commands, ([, key = '']) => this.#target.clientOf(key));
    for (const [client, own] of byServer) {
      const replies = await this.#call(() => client.pipeline(own.map((command) => [...command])).exec());
      const failed = replies?.find(([error]) => error !== null);
      if (replies === null || failed !== undefined) throw redisFault(failed?.[0]);
    }
  }

  async #call<Result>(work: () => Promise<Result>): Promise<Result> {
    const timeout = new AbortController();
    try {
      return await Promise.race([
        work(),
        delay(CALL_TIMEOUT_MS, undefined, { signal: timeout.signal }).then(() => {
          throw new Error(`no answer within ${CALL_TIMEOUT_MS / 1000} s`);
        }),
      ]);
    } catch (error) {
      throw redisFault(error);
    } finally {
      timeout.abort();
    }
  }

  async #end(): Promise<void> {
    await this.#ownership.end();
    for (const master of this.#target.masters) master.close();
  }
}

async function connected({ url, access, clock }: MovedCountersOptions): Promise<MoveTarget> {
  try {
    return await openMoveTarget(redisAddressOf(url, access), { timeoutMs: READY_TIMEOUT_MS, clock });
  } catch (error) {
    throw new MoveError(`Redis can't be used: ${withoutCommand(error).message}`);
  }
}

function redisFault(error: unknown): MoveError {
  if (error instanceof MoveError) return error;
  return new MoveError(`Redis: ${withoutCommand(error).message}`, { cause: withoutCommand(error) });
}
