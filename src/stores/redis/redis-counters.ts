import type { Redis } from 'ioredis';
import type { Clock } from '../../limiter/clock.ts';
import {
  type CounterCheck,
  type CounterOutcome,
  type Counters,
  CountersError,
} from '../../limiter/counters.ts';
import { decodeReply, encodeCall, loadCheckScript, type ScriptReply } from './check-script.ts';
import { connectRedis, countersError } from './connection.ts';
import { StoreClock } from './store-clock.ts';

/** The part of a pino logger that is used here. */
interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

export interface RedisCountersOptions {
  /** `redis://`, `rediss://` or `unix://`; see connection.ts. */
  readonly url: string;
  /** A check that has no answer by then gets a CountersError 'timeout'. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly log: Log;
  /** Tests only: the store time that the script is told to take for now. */
  readonly injectedNowMs?: () => number;
}

/** So that one turn of a busy node can't hold Redis for long. */
const BATCH_MAX = 256;

interface Waiting {
  readonly check: CounterCheck;
  readonly resolve: (outcome: CounterOutcome) => void;
  readonly reject: (error: CountersError) => void;
}

/**
 * Counters in Redis. All checks of one turn of the event loop travel in one script call, which
 * judges them in order, each atomically (lua/check.lua).
 */
export class RedisCounters implements Counters {
  readonly #redis: Redis;
  readonly #script = loadCheckScript();
  readonly #options: RedisCountersOptions;
  readonly #storeClock: StoreClock;
  #waiting: Waiting[] = [];

  /** Returns at once; while Redis is away, checks are rejected as 'unavailable'. */
  static connect(options: RedisCountersOptions): RedisCounters {
    return new RedisCounters(options);
  }

  private constructor(options: RedisCountersOptions) {
    const { url, clock, log } = options;
    this.#options = options;
    this.#storeClock = new StoreClock({
      clock,
      onStep: (stepMs) =>
        log.warn({ stepMs }, 'the clock of Redis stepped: windows end early or late by as much'),
    });
    this.#redis = connectRedis(url);
    this.#redis.on('ready', () => void this.#greet());
    this.#redis.on('close', () => this.#storeClock.forget());
    this.#redis.on('error', (error: Error) => log.warn({ err: error }, 'Redis connection failed'));
  }

  check(check: CounterCheck): Promise<CounterOutcome> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length === 0) setImmediate(() => this.#flush());
      this.#waiting.push({ check, resolve, reject });
    });
  }

  async ping(): Promise<boolean> {
    return this.#redis.status === 'ready' && this.#storeClock.nowMs() !== undefined;
  }

  async close(): Promise<void> {
    this.#redis.disconnect();
  }

  /** The store's time has to be known before the first check, for its deadline. */
  async #greet(): Promise<void> {
    const sentMs = this.#options.clock.monotonicMs();
    try {
      const [seconds, microseconds] = await this.#redis.time();
      this.#storeClock.observe(Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000), sentMs);
      this.#options.log.info({}, 'Redis connected');
    } catch (error) {
      // Connected but not usable (no permission, say): every check until the next connection says so.
      this.#options.log.warn({ err: error }, 'Redis connected, but does not tell its time');
    }
  }

  #flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (let first = 0; first < waiting.length; first += BATCH_MAX) {
      void this.#send(waiting.slice(first, first + BATCH_MAX));
    }
  }

  /** Never rejects: every waiting check gets its outcome or its error. */
  async #send(batch: readonly Waiting[]): Promise<void> {
    const { timeoutMs, clock } = this.#options;
    const givenUpMs = clock.monotonicMs() + timeoutMs;
    const timer = setTimeout(() => {
      // A reply may lie in the socket while this loop was held up: it is read before an immediate runs.
      setImmediate(() =>
        rejectAll(batch, new CountersError('timeout', `Redis gave no answer in ${timeoutMs} ms`)),
      );
    }, timeoutMs);
    try {
      settle(batch, await this.#judge(batch, givenUpMs));
    } catch (error) {
      rejectAll(batch, countersError(error));
    } finally {
      clearTimeout(timer);
    }
  }

  async #judge(batch: readonly Waiting[], givenUpMs: number): Promise<ScriptReply> {
    const reply = await this.#call(batch, givenUpMs);
    // Too late by an outdated estimate (the clock of Redis stepped forward), while we still wait: it
    // did nothing, and may be asked again.
    const isStillWanted = this.#options.clock.monotonicMs() < givenUpMs;
    return reply.answers === 'late' && isStillWanted ? this.#call(batch, givenUpMs) : reply;
  }

  async #call(batch: readonly Waiting[], givenUpMs: number): Promise<ScriptReply> {
    const { clock, injectedNowMs } = this.#options;
    const sentMs = clock.monotonicMs();
    const storeNowMs = this.#storeClock.nowMs();
    if (storeNowMs === undefined) throw new CountersError('unavailable', 'Redis is not connected');
    const checks = batch.map(({ check }) => check);
    const { keys, args } = encodeCall(checks, {
      nowMs: injectedNowMs?.(),
      deadlineMs: injectedNowMs === undefined ? storeNowMs + Math.ceil(givenUpMs - sentMs) : undefined,
    });
    const reply = decodeReply(await this.#evaluate(keys, args), checks);
    if (injectedNowMs === undefined) this.#storeClock.observe(reply.nowMs, sentMs);
    return reply;
  }

  /** A server that doesn't know the script has run nothing: only then is it sent again, as text. */
  async #evaluate(keys: readonly string[], args: readonly string[]): Promise<unknown> {
    try {
      return await this.#redis.evalsha(this.#script.sha1, keys.length, ...keys, ...args);
    } catch (error) {
      if (!(error instanceof Error && /^NOSCRIPT/.test(error.message))) throw error;
      return this.#redis.eval(this.#script.text, keys.length, ...keys, ...args);
    }
  }
}

function settle(batch: readonly Waiting[], { answers }: ScriptReply): void {
  if (answers === 'late') {
    rejectAll(batch, new CountersError('timeout', 'the check reached Redis too late and was not counted'));
    return;
  }
  batch.forEach(({ resolve, reject }, index) => {
    const answer = answers[index];
    if (answer === undefined || answer === 'corrupt') {
      reject(
        new CountersError('corrupt', 'the stored state was damaged; it has been removed and counts anew'),
      );
    } else resolve(answer);
  });
}

function rejectAll(batch: readonly Waiting[], error: CountersError): void {
  for (const { reject } of batch) reject(error);
}
