import { randomBytes } from 'node:crypto';
import type { Clock } from '../../src/limiter/clock.ts';
import type { CounterCheck, CounterOutcome, Counters, LimitSet } from '../../src/limiter/counters.ts';
import type { Limit } from '../../src/limiter/limit.ts';
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
    clock,
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

export function limitOf(limit: Pick<Limit, 'algorithm' | 'limit' | 'windowMs'> & Partial<Limit>): Limit {
  return { name: limit.algorithm.replace('_', '-'), burst: Math.max(1, limit.limit), ...limit };
}

export function setOf(...limits: Parameters<typeof limitOf>[0][]): LimitSet {
  return { limits: limits.map(limitOf) };
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
