import type { Redis } from 'ioredis';
import type { Clock } from '../../limiter/clock.ts';
import { CountersError } from '../../limiter/counters.ts';
import type { RedisStats } from '../../telemetry/metrics/store-stats.ts';
import type { StoreLog } from '../store-log.ts';
import { countersError, withoutCommand } from './connection.ts';
import type { Script } from './script.ts';
import type { Attempt, ScriptCaller } from './script-caller.ts';
import { StoreClock } from './store-clock.ts';

export interface RedisLinkOptions {
  /** A client that connects by itself, again and again; the link closes it. */
  readonly redis: Redis;
  /** The number of the database. */
  readonly database: number;
  /** A call that has no answer by then is given up. */
  readonly timeoutMs: number;
  /** So many calls without an answer, one after the other, are no mere hiccup; 3 if absent. */
  readonly unansweredCallsMax?: number;
  readonly clock: Clock;
  readonly log: Pick<StoreLog, 'info' | 'warn'>;
  /** Called whenever the connection is lost, or could not be made. */
  readonly onClose?: () => void;
}

/** When a call is given up, and how it is made. */
export interface LinkCall {
  /** By the monotonic clock. */
  readonly givenUpMs: number;
  /** Its keys are on their way to this server, by whose word is left to whoever sent the caller here. */
  readonly isAsking?: boolean;
}

interface Evaluation {
  readonly keys: readonly string[];
  readonly args: readonly string[];
  readonly isAsking: boolean;
}

const UNANSWERED_CALLS_MAX = 3;
/** A new connection has so long to say what time it is. */
const GREETING_TIMEOUT_MS = 1000;
const WARNING_INTERVAL_MS = 30_000;

/** Calls scripts in one Redis, over one connection. */
export class RedisLink implements ScriptCaller {
  readonly #redis: Redis;
  readonly #options: RedisLinkOptions;
  readonly #storeClock: StoreClock;
  readonly #unansweredCallsMax: number;
  #unansweredCalls = 0;
  #answeredMonotonicMs = 0;
  #greetingTimer: NodeJS.Timeout | undefined;
  #quietUntilMs = 0;
  readonly #connectListeners: (() => void)[] = [];
  readonly #firstTry = Promise.withResolvers<boolean>();
  readonly #counts = { connections: 0, calls: 0, timeouts: 0, failures: 0, clockSteps: 0 };

  constructor(options: RedisLinkOptions) {
    const { redis, clock, log, unansweredCallsMax = UNANSWERED_CALLS_MAX } = options;
    this.#options = options;
    this.#unansweredCallsMax = unansweredCallsMax;
    this.#storeClock = new StoreClock({
      clock,
      onStep: (stepMs) => {
        this.#counts.clockSteps++;
        log.warn({ stepMs }, 'the clock of Redis stepped: windows end early or late by as much');
      },
    });
    this.#redis = redis;
    redis.on('connect', () => this.#expectGreeting());
    redis.on('ready', () => void this.#greet());
    redis.on('close', () => {
      this.#storeClock.forget();
      this.#firstTry.resolve(false);
      options.onClose?.();
    });
    redis.on('error', (error: Error) => this.#warnSeldom(error));
  }

  stats(): RedisStats {
    const { connections, ...counts } = this.#counts;
    return { ...counts, isConnected: this.isConnected, reconnects: Math.max(0, connections - 1) };
  }

  /** It has said what time it is, and may be called. */
  get isConnected(): boolean {
    return this.#storeClock.nowMs() !== undefined;
  }

  async isAnswering(): Promise<boolean> {
    try {
      await this.within('', async (attempt) => {
        attempt();
        await this.#redis.time();
      });
      return true;
    } catch {
      return false;
    }
  }

  storeNowMs(): number {
    return this.#storeClock.nowMs() ?? this.#options.clock.nowMs();
  }

  firstTry(): Promise<boolean> {
    return this.#firstTry.promise;
  }

  onConnect(listener: () => void): void {
    this.#connectListeners.push(listener);
  }

  close(): void {
    clearTimeout(this.#greetingTimer);
    this.#redis.disconnect();
  }

  /** Whatever is under way on this connection is given up with it. */
  reconnect(): void {
    this.#unansweredCalls = 0;
    this.#storeClock.forget();
    this.#redis.disconnect(true);
  }

  within<Result>(_key: string, call: (attempt: () => Attempt) => Promise<Result>): Promise<Result> {
    const { timeoutMs, clock } = this.#options;
    return this.until({ givenUpMs: clock.monotonicMs() + timeoutMs }, call);
  }

  /** Another command than a script, that changes nothing. Rejects with a CountersError. */
  ask(name: string, ...args: string[]): Promise<unknown> {
    return this.within('', async (attempt) => {
      attempt();
      return this.#redis.call(name, ...args);
    });
  }

  /** As within(), up to a moment. */
  async until<Result>(
    { givenUpMs, isAsking = false }: LinkCall,
    call: (attempt: () => Attempt) => Promise<Result>,
  ): Promise<Result> {
    this.#counts.calls++;
    const { timeoutMs, clock } = this.#options;
    const missed = new CountersError('timeout', `Redis gave no answer in ${timeoutMs} ms`);
    const { promise: timeout, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      // A reply may lie in the socket while this loop was held up: it is read before an immediate runs.
      setImmediate(() => reject(missed));
    }, givenUpMs - clock.monotonicMs());
    try {
      const result = await Promise.race([call(() => this.#attempt(givenUpMs, isAsking)), timeout]);
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

  #attempt(givenUpMs: number, isAsking: boolean): Attempt {
    const sentMonotonicMs = this.#options.clock.monotonicMs();
    const storeNowMs = this.#storeClock.nowMs();
    if (storeNowMs === undefined) throw new CountersError('unavailable', 'Redis is not connected');
    if (sentMonotonicMs >= givenUpMs) throw new CountersError('timeout', 'the check reached Redis too late');
    return {
      storeNowMs,
      deadlineMs: storeNowMs + Math.ceil(givenUpMs - sentMonotonicMs),
      evaluate: (script, keys, args) => this.#evaluate(script, { keys, args, isAsking }),
      observe: (nowMs) => this.#storeClock.observe(nowMs, sentMonotonicMs),
    };
  }

  /** A server that doesn't know the script has run nothing: only then is it sent again, as text. */
  async #evaluate({ sha1, text }: Script, { keys, args, isAsking }: Evaluation): Promise<unknown> {
    // It holds for the one command behind it: nothing comes between two that are sent in one turn.
    const ask = () => (isAsking ? this.#redis.asking().catch(() => undefined) : undefined);
    void ask();
    try {
      return await this.#redis.evalsha(sha1, keys.length, ...keys, ...args);
    } catch (error) {
      if (!(error instanceof Error && /^NOSCRIPT/.test(error.message))) throw error;
      void ask();
      return this.#redis.eval(text, keys.length, ...keys, ...args);
    }
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
    const isSilent =
      this.#unansweredCalls >= this.#unansweredCallsMax && silentMs > 2 * this.#options.timeoutMs;
    if (!isSilent || !this.isConnected) return;
    this.#options.log.warn({ calls: this.#unansweredCalls }, 'Redis does not answer; connecting anew');
    this.reconnect();
  }

  /** A server that takes connections but says nothing is tried again, for ever. */
  #expectGreeting(): void {
    clearTimeout(this.#greetingTimer);
    this.#greetingTimer = setTimeout(() => {
      if (!this.isConnected) this.reconnect();
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
      if (this.#options.database !== 0) await this.#redis.select(this.#options.database);
      const [seconds, microseconds] = await this.#redis.time();
      this.#storeClock.observe(Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000), sentMs);
      this.#quietUntilMs = 0;
      this.#counts.connections++;
      this.#options.log.info({}, 'Redis connected');
      this.#firstTry.resolve(true);
      for (const listener of this.#connectListeners) listener();
    } catch (error) {
      // Connected but not usable (no such database, no permission): unavailable, and tried again.
      this.#warnSeldom(error);
      this.#firstTry.resolve(false);
    }
  }
}
