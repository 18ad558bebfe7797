import type { Redis } from 'ioredis';
import type { Clock } from '../../limiter/clock.ts';
import { CountersError } from '../../limiter/counters.ts';
import type { CountersCondition } from '../../limiter/counters-condition.ts';
import type { RedisStats } from '../../telemetry/metrics/store-stats.ts';
import type { StoreLog } from '../store-log.ts';
import { conditionBy } from './condition-of.ts';
import { countersError, withoutCommand } from './connection.ts';
import { CONDITIONS } from './fault-conditions.ts';
import { reactionTo } from './fault-reactions.ts';
import { Hold } from './hold.ts';
import { inTime } from './in-time.ts';
import { type Greeting, KeptConnection } from './kept-connection.ts';
import { KnownServer } from './known-server.ts';
import { LinkFaults } from './link-faults.ts';
import { MemoryWatch } from './memory-watch.ts';
import { Probe } from './probe.ts';
import type { RedisLogin } from './redis-address.ts';
import type { Attempt, CallTiming, ScriptCaller } from './script-caller.ts';
import { ScriptSender } from './script-sender.ts';
import { Silence } from './silence.ts';
import { StoreClock } from './store-clock.ts';
import type { Whereabouts } from './whereabouts.ts';

export interface RedisLinkOptions {
  /** Where the master is; the link closes it. */
  readonly whereabouts: Whereabouts;
  readonly login: RedisLogin;
  /** The number of the database. */
  readonly database: number;
  /** A call that has no answer by then is given up. */
  readonly timeoutMs: number;
  /** So many calls without an answer, one after the other, are no mere hiccup; 3 if absent. */
  readonly unansweredCallsMax?: number;
  readonly clock: Clock;
  readonly log: Pick<StoreLog, 'info' | 'warn'>;
  /** A replica is as good: the caller knows whom it calls. False if absent. */
  readonly mayBeReplica?: boolean;
  /** A key for probes that the server has; if absent one of a Redis in one piece. */
  readonly probeKey?: () => string;
  /** How often its memory is looked at, beside each connection; a minute if absent. */
  readonly memoryCheckMs?: number;
  /** Called whenever the connection is lost, or could not be made. */
  readonly onClose?: () => void;
}

/** When a call is given up, and how it is made. */
export interface LinkCall {
  /** By the monotonic clock. */
  readonly givenUpMs: number;
  /** Its keys are on their way to this server, by whose word is left to whoever sent the caller here. */
  readonly isAsking?: boolean;
  /** It reads: that it is answered doesn't show that a check would be. */
  readonly isReading?: boolean;
}

const MEMORY_CHECK_MS = 60_000;
const PROBE_KEY = '{brume}probe';

/** Calls scripts in one Redis at a time, over one connection. */
export class RedisLink implements ScriptCaller {
  readonly #connection: KeptConnection;
  readonly #options: RedisLinkOptions;
  readonly #storeClock: StoreClock;
  readonly #silence: Silence;
  readonly #faults: LinkFaults;
  readonly #hold: Hold;
  readonly #known: KnownServer;
  readonly #memory: MemoryWatch;
  readonly #probe: Probe;
  #sender: ScriptSender | undefined;
  #redis: Redis | undefined;
  readonly #connectListeners: (() => void)[] = [];
  readonly #firstTry = Promise.withResolvers<boolean>();
  readonly #counts = { connections: 0, calls: 0, timeouts: 0, failures: 0, clockSteps: 0, serverChanges: 0 };
  #clockSteppedAtMs: number | undefined;

  constructor(options: RedisLinkOptions) {
    const { whereabouts, login, database, timeoutMs, clock, log, mayBeReplica = false } = options;
    this.#options = options;
    this.#probe = new Probe({ key: options.probeKey ?? (() => PROBE_KEY), timeoutMs, mayBeReplica });
    this.#silence = new Silence(options);
    this.#faults = new LinkFaults(clock, log);
    this.#hold = new Hold(clock);
    this.#known = new KnownServer(log);
    this.#memory = new MemoryWatch({
      info: async (section) => String(await this.ask('INFO', section)),
      log,
      intervalMs: options.memoryCheckMs ?? MEMORY_CHECK_MS,
    });
    this.#storeClock = new StoreClock({
      clock,
      onStep: (stepMs) => {
        this.#counts.clockSteps++;
        this.#clockSteppedAtMs = clock.nowMs();
        log.warn({ stepMs }, 'the clock of Redis stepped: windows end early or late by as much');
      },
    });
    this.#connection = new KeptConnection({
      whereabouts,
      login,
      database,
      clock,
      mayBeReplica,
      prove: (client, tell) => this.#probe.pass(client, tell),
      onGreeted: (greeting) => this.#begin(greeting),
      onLost: () => this.#lose(),
      onFault: (error, place) => {
        this.#firstTry.resolve(false);
        this.#faults.missConnection(error, place);
        options.onClose?.();
      },
    });
  }

  stats(): RedisStats {
    const { connections, ...counts } = this.#counts;
    return {
      ...counts,
      clockSteppedAtMs: this.#clockSteppedAtMs,
      isConnected: this.isConnected,
      ...this.#memory.stats(),
      faults: this.#faults.counts(),
      breakers: { closed: 0, open: 0, half_open: 0, [this.#breaker]: 1 },
      reconnects: Math.max(0, connections - 1),
      reachableSentinels: this.#options.whereabouts.reachableSentinels(),
    };
  }

  /** It has said what time it is, and may be called. */
  get isConnected(): boolean {
    return this.#storeClock.nowMs() !== undefined;
  }

  /** Open: calls are refused at once. Half open: a greeting, or one call, is to show whether it is over. */
  get #breaker(): 'closed' | 'open' | 'half_open' {
    if (this.isConnected) return this.#hold.state;
    return this.#connection.isTrying ? 'half_open' : 'open';
  }

  async condition(): Promise<CountersCondition> {
    if (!this.isConnected) return { state: 'unavailable', fault: this.#faults.why };
    try {
      await this.within('', (attempt) => this.#probe.send(attempt()));
      return { state: 'available' };
    } catch (error) {
      return conditionBy(error);
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
    this.#memory.close();
    this.#connection.close();
  }

  /** Whatever is under way on this connection is given up with it. */
  reconnect(): void {
    this.#connection.reconnect();
    this.#options.whereabouts.doubt();
  }

  within<Result>(
    _key: string,
    call: (attempt: () => Attempt) => Promise<Result>,
    timing: CallTiming = {},
  ): Promise<Result> {
    return this.until({ givenUpMs: timing.givenUpMs ?? this.#latestMs() }, call);
  }

  /** Another command than a script, that changes nothing. Rejects with a CountersError. */
  ask(name: string, ...args: string[]): Promise<unknown> {
    return this.until({ givenUpMs: this.#latestMs(), isReading: true }, async (attempt) => {
      attempt();
      return this.#redis?.call(name, ...args);
    });
  }

  /** As within(), up to a moment. */
  async until<Result>(
    { givenUpMs, isAsking = false, isReading = false }: LinkCall,
    call: (attempt: () => Attempt) => Promise<Result>,
  ): Promise<Result> {
    this.#counts.calls++;
    const { timeoutMs, clock } = this.#options;
    const missed = new CountersError('timeout', `Redis gave no answer in ${timeoutMs} ms`);
    try {
      const work = call(() => this.#attempt(givenUpMs, isAsking));
      const result = await inTime(work, givenUpMs - clock.monotonicMs(), missed);
      if (!isReading) this.#silence.end();
      return result;
    } catch (error) {
      if (error === missed) this.#missAnswer(missed);
      const fault = countersError(error);
      if (fault.fault === 'timeout') this.#counts.timeouts++;
      else this.#counts.failures++;
      this.#faults.count(fault.cause ?? fault);
      throw fault;
    }
  }

  /** When a call that is made now is given up. */
  #latestMs(): number {
    const { timeoutMs, clock } = this.#options;
    return clock.monotonicMs() + timeoutMs;
  }

  #attempt(givenUpMs: number, isAsking: boolean): Attempt {
    const sentMonotonicMs = this.#options.clock.monotonicMs();
    const storeNowMs = this.#storeClock.nowMs();
    const [redis, sender] = [this.#redis, this.#sender];
    if (storeNowMs === undefined || redis === undefined || sender === undefined)
      throw new CountersError('unavailable', 'Redis is not connected');
    if (sentMonotonicMs >= givenUpMs) throw new CountersError('timeout', 'the check reached Redis too late');
    return {
      storeNowMs,
      deadlineMs: storeNowMs + Math.ceil(givenUpMs - sentMonotonicMs),
      evaluate: async (script, keys, args) => {
        const refusal = this.#hold.refusal(givenUpMs);
        if (refusal !== undefined) throw refusal;
        try {
          const reply = await sender.send(script, { keys, args, isAsking });
          if (redis === this.#redis) this.#hold.end();
          return reply;
        } catch (error) {
          // What an earlier connection still tells is old news.
          if (redis === this.#redis && error instanceof Error) this.#react(error);
          throw error;
        }
      },
      observe: (nowMs) => {
        // What an earlier server said is no news of this one's clock.
        if (redis === this.#redis) this.#storeClock.observe(nowMs, sentMonotonicMs);
      },
    };
  }

  /** By the table in fault-reactions.ts. */
  #react(error: Error): void {
    const reaction = reactionTo(error.message);
    if (reaction.link === 'hold') this.#hold.begin(withoutCommand(error));
    else this.#hold.end();
    if (reaction.link === 'reconnect') {
      this.#giveUp(error);
      return;
    }
    const isAlone = this.#options.mayBeReplica !== true;
    this.#faults.tell(error, reaction.link === 'follow' && isAlone ? CONDITIONS.cluster_as_single : reaction);
  }

  /**
   * The circuit breaker: a connection on which several calls in a row stay unanswered is given up, and
   * until another one is greeted calls fail at once instead of costing each caller its deadline. Part of the
   * greeting is the single probe, which does what a check does.
   */
  #missAnswer(missed: Error): void {
    if (this.#silence.miss() && this.isConnected) this.#giveUp(missed);
  }

  #giveUp(error: Error): void {
    this.#faults.giveUp(error);
    this.reconnect();
  }

  /** The store's time has to be known before the first call, for its deadline. */
  #begin({ client, place, process, refusal, nowMs, sentMonotonicMs }: Greeting): void {
    this.#redis = client;
    this.#storeClock.observe(nowMs, sentMonotonicMs);
    this.#sender = new ScriptSender(client, (error) => this.#faults.count(error));
    this.#faults.meet(place);
    this.#counts.connections++;
    if (!this.#known.meet({ place, process })) this.#counts.serverChanges++;
    if (refusal !== undefined) {
      this.#faults.count(refusal);
      this.#react(refusal);
    }
    this.#firstTry.resolve(true);
    void this.#memory.look(true);
    for (const listener of this.#connectListeners) listener();
  }

  #lose(): void {
    this.#redis = undefined;
    this.#sender = undefined;
    this.#hold.end();
    this.#silence.end();
    this.#storeClock.forget();
    this.#options.onClose?.();
  }
}
