import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Clock } from '../../limiter/clock.ts';
import { CountersError } from '../../limiter/counters.ts';
import type { RedisStats } from '../../telemetry/metrics/store-stats.ts';
import { connectRedis, countersError, databaseOf, withoutCommand } from './connection.ts';
import { StoreClock } from './store-clock.ts';

/** The part of a pino logger that is used here. */
interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

export interface ScriptCallerOptions {
  /** `redis://`, `rediss://` or `unix://`; see connection.ts. */
  readonly url: string;
  /** A call that has no answer by then is given up. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly log: Log;
}

export interface Script {
  readonly text: string;
  /** Under which Redis keeps it. */
  readonly sha1: string;
}

export function scriptOf(text: string): Script {
  return { text, sha1: createHash('sha1').update(text).digest('hex') };
}

/** So many calls without an answer, one after the other, are no mere hiccup. */
const UNANSWERED_CALLS_MAX = 3;
/** A new connection has so long to say what time it is. */
const GREETING_TIMEOUT_MS = 1000;
const WARNING_INTERVAL_MS = 30_000;

/** One attempt at a call: when it was sent, and the times by which it is judged. */
export interface Attempt {
  /** The store's time now, by this node's estimate. */
  readonly storeNowMs: number;
  /** The same at the moment at which the caller gives up. */
  readonly deadlineMs: number;
  readonly sentMonotonicMs: number;
}

/**
 * Calls scripts in one Redis. A call is answered within its time or given up, and carries the store
 * time after which it must do nothing; what may have run is never sent again.
 */
export class ScriptCaller {
  readonly #redis: Redis;
  readonly #options: ScriptCallerOptions;
  readonly #storeClock: StoreClock;
  #unansweredCalls = 0;
  #answeredMonotonicMs = 0;
  #greetingTimer: NodeJS.Timeout | undefined;
  #quietUntilMs = 0;
  #onConnect: () => void = () => undefined;
  readonly #counts = { connections: 0, calls: 0, timeouts: 0, failures: 0, clockSteps: 0 };

  constructor(options: ScriptCallerOptions) {
    const { url, clock, log } = options;
    this.#options = options;
    this.#storeClock = new StoreClock({
      clock,
      onStep: (stepMs) => {
        this.#counts.clockSteps++;
        log.warn({ stepMs }, 'the clock of Redis stepped: windows end early or late by as much');
      },
    });
    this.#redis = connectRedis(url);
    this.#redis.on('connect', () => this.#expectGreeting());
    this.#redis.on('ready', () => void this.#greet());
    this.#redis.on('close', () => this.#storeClock.forget());
    this.#redis.on('error', (error: Error) => this.#warnSeldom(error));
  }

  stats(): RedisStats {
    const { connections, ...counts } = this.#counts;
    const isConnected = this.#storeClock.nowMs() !== undefined;
    return { ...counts, isConnected, reconnects: Math.max(0, connections - 1) };
  }

  /** Asks the server, and waits for its answer no longer than a call may take; never rejects. */
  async isAnswering(): Promise<boolean> {
    try {
      await this.within(async (attempt) => {
        attempt();
        await this.#redis.time();
      });
      return true;
    } catch {
      return false;
    }
  }

  /** By this node's estimate; its own time while it has none. */
  storeNowMs(): number {
    return this.#storeClock.nowMs() ?? this.#options.clock.nowMs();
  }

  /** Calls `listener` whenever Redis is connected and can be called. */
  onConnect(listener: () => void): void {
    this.#onConnect = listener;
  }

  close(): void {
    clearTimeout(this.#greetingTimer);
    this.#redis.disconnect();
  }

  /**
   * Runs `call`, which may make several attempts, until it settles or the time is up.
   * Rejects with a CountersError.
   */
  async within<Result>(call: (attempt: () => Attempt) => Promise<Result>): Promise<Result> {
    this.#counts.calls++;
    const { timeoutMs, clock } = this.#options;
    const givenUpMs = clock.monotonicMs() + timeoutMs;
    const missed = new CountersError('timeout', `Redis gave no answer in ${timeoutMs} ms`);
    const { promise: timeout, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      // A reply may lie in the socket while this loop was held up: it is read before an immediate runs.
      setImmediate(() => reject(missed));
    }, timeoutMs);
    try {
      const result = await Promise.race([call(() => this.#attempt(givenUpMs)), timeout]);
      this.#unansweredCalls = 0;
      this.#answeredMonotonicMs = clock.monotonicMs();
      return result;
    } catch (error) {
      if (error === missed) this.#missAnswer();
      const fault = countersError(error);
      if (fault.fault === 'timeout') this.#counts.timeouts++;
      else this.#counts.failures++;
      throw fault;
    } finally {
      clearTimeout(timer);
    }
  }

  /** A server that doesn't know the script has run nothing: only then is it sent again, as text. */
  async evaluate({ sha1, text }: Script, keys: readonly string[], args: readonly string[]): Promise<unknown> {
    try {
      return await this.#redis.evalsha(sha1, keys.length, ...keys, ...args);
    } catch (error) {
      if (!(error instanceof Error && /^NOSCRIPT/.test(error.message))) throw error;
      return this.#redis.eval(text, keys.length, ...keys, ...args);
    }
  }

  /** The store told its time in the answer to an attempt. */
  observe(storeNowMs: number, { sentMonotonicMs }: Attempt): void {
    this.#storeClock.observe(storeNowMs, sentMonotonicMs);
  }

  #attempt(givenUpMs: number): Attempt {
    const sentMonotonicMs = this.#options.clock.monotonicMs();
    const storeNowMs = this.#storeClock.nowMs();
    if (storeNowMs === undefined) throw new CountersError('unavailable', 'Redis is not connected');
    if (sentMonotonicMs >= givenUpMs) throw new CountersError('timeout', 'the check reached Redis too late');
    return { storeNowMs, sentMonotonicMs, deadlineMs: storeNowMs + Math.ceil(givenUpMs - sentMonotonicMs) };
  }

  /**
   * The circuit breaker: a connection on which several calls in a row stay unanswered is given up, and
   * until another one is greeted calls fail at once instead of costing each caller its deadline. The
   * greeting is the single probe.
   */
  #missAnswer(): void {
    this.#unansweredCalls++;
    const silentMs = this.#options.clock.monotonicMs() - this.#answeredMonotonicMs;
    // Calls that were sent together are missed together: a busy moment, not yet a silence.
    const isSilent = this.#unansweredCalls >= UNANSWERED_CALLS_MAX && silentMs > 2 * this.#options.timeoutMs;
    if (!isSilent || this.#storeClock.nowMs() === undefined) return;
    this.#options.log.warn({ calls: this.#unansweredCalls }, 'Redis does not answer; connecting anew');
    this.#reconnect();
  }

  #reconnect(): void {
    this.#unansweredCalls = 0;
    this.#storeClock.forget();
    this.#redis.disconnect(true);
  }

  /** A server that takes connections but says nothing is tried again, for ever. */
  #expectGreeting(): void {
    clearTimeout(this.#greetingTimer);
    this.#greetingTimer = setTimeout(() => {
      if (this.#storeClock.nowMs() === undefined) this.#reconnect();
    }, GREETING_TIMEOUT_MS);
    this.#greetingTimer.unref();
  }

  /** A server that is away is met once a second; that needs no line each time. */
  #warnSeldom(error: unknown): void {
    const nowMs = this.#options.clock.monotonicMs();
    if (nowMs < this.#quietUntilMs) return;
    this.#quietUntilMs = nowMs + WARNING_INTERVAL_MS;
    this.#options.log.warn(
      { err: withoutCommand(error) },
      'Redis connection failed; trying again until it comes',
    );
  }

  /** The store's time has to be known before the first call, for its deadline. */
  async #greet(): Promise<void> {
    const sentMs = this.#options.clock.monotonicMs();
    try {
      // ioredis goes on in database 0 where the one that was asked for can't be had.
      await this.#redis.select(databaseOf(this.#options.url));
      const [seconds, microseconds] = await this.#redis.time();
      this.#storeClock.observe(Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000), sentMs);
      this.#quietUntilMs = 0;
      this.#counts.connections++;
      this.#options.log.info({}, 'Redis connected');
      this.#onConnect();
    } catch (error) {
      // Connected but not usable (no such database, no permission): unavailable, and tried again.
      this.#warnSeldom(error);
    }
  }
}
