import { randomBytes } from 'node:crypto';
import { type Anchor, Calendar, type Period } from '../../src/limiter/calendar.ts';
import { type Clock, systemClock } from '../../src/limiter/clock.ts';
import type { CounterCheck, CounterOutcome, Counters, LimitSet } from '../../src/limiter/counters.ts';
import type { QuotaLimit, WindowLimit } from '../../src/limiter/limit.ts';
import { EmbeddedCounters } from '../../src/stores/embedded/embedded-counters.ts';
import { RedisCounters } from '../../src/stores/redis/redis-counters.ts';
import type { RedisServer } from './redis-server.ts';

/** A clock that moves only when told. */
export class ManualClock implements Clock {
  #nowMs: number;

  constructor(nowMs = 1_800_000_000_000) {
    this.#nowMs = nowMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  /** Stands still, so that no entry expires by it: what has to end must end by the store's time. */
  monotonicMs(): number {
    return 0;
  }

  set(nowMs: number): void {
    this.#nowMs = nowMs;
  }

  advance(byMs: number): void {
    this.#nowMs += byMs;
  }
}

/** The same counters twice: the reference models in memory, and the script in a real Redis. */
export interface Engine {
  readonly name: 'embedded' | 'redis';
  readonly counters: Counters;
  readonly clock: ManualClock;
}

export function embeddedEngine(): Engine {
  const clock = new ManualClock();
  return { name: 'embedded', counters: new EmbeddedCounters({ clock, identifiersMax: 1000 }), clock };
}

export async function redisEngine(server: RedisServer): Promise<Engine> {
  const clock = new ManualClock();
  const counters = RedisCounters.connect({
    url: server.url,
    timeoutMs: 5000,
    clock: systemClock,
    log: silentLog,
    injectedNowMs: () => clock.nowMs(),
  });
  await ready(counters);
  return { name: 'redis', counters, clock };
}

export async function ready(counters: Counters): Promise<void> {
  while (!(await counters.ping())) await new Promise((resolve) => setTimeout(resolve, 2));
}

export const silentLog = { info: () => undefined, warn: () => undefined };

/** A state key that nobody has used yet. */
export function freshKey(): string {
  return randomBytes(16).toString('base64url');
}

type AnyLimit = Pick<WindowLimit, 'algorithm' | 'limit' | 'windowMs'> & Partial<WindowLimit>;

/** A limit with what is needed and nothing else said. */
export function limitOf(limit: AnyLimit): WindowLimit {
  return {
    name: limit.algorithm.replace('_', '-'),
    mode: 'enforce',
    burst: Math.max(1, limit.limit),
    identity: limit.windowMs,
    ...limit,
  };
}

const MIDNIGHT = { minute: 0, weekday: 1, day: 1, month: 1 } as const;

export function quotaOf(
  limit: number,
  period: Period,
  {
    timeZone = 'UTC',
    anchor = {},
    ...rest
  }: { timeZone?: string; anchor?: Partial<Anchor>; name?: string } = {},
): QuotaLimit {
  const calendar = new Calendar({ period, timeZone, anchor: { ...MIDNIGHT, ...anchor } });
  return {
    name: period,
    mode: 'enforce',
    algorithm: 'quota',
    limit,
    calendar,
    identity: calendar.id,
    ...rest,
  };
}

export function setOf(...limits: (AnyLimit | QuotaLimit)[]): LimitSet {
  return { limits: limits.map((limit) => (limit.algorithm === 'quota' ? limit : limitOf(limit))) };
}

/** One identifier and its rule, asked again and again. */
export class Asker {
  readonly key = freshKey();
  readonly #engine: Engine;
  set: LimitSet;

  constructor(engine: Engine, set: LimitSet) {
    this.#engine = engine;
    this.set = set;
  }

  check(cost = 1, overrides: Partial<CounterCheck> = {}): Promise<CounterOutcome> {
    return this.#engine.counters.check({ key: this.key, set: this.set, cost, peek: false, ...overrides });
  }

  peek(cost = 1): Promise<CounterOutcome> {
    return this.check(cost, { peek: true });
  }

  /** How many of so many checks, asked together, were admitted. */
  async admittedOf(count: number, cost = 1): Promise<number> {
    const outcomes = await Promise.all(Array.from({ length: count }, () => this.check(cost)));
    return outcomes.filter(({ admitted }) => admitted).length;
  }
}
