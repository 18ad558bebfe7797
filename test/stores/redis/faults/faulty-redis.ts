import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../../../../src/limiter/clock.ts';
import { CountersError, type CountersFault } from '../../../../src/limiter/counters.ts';
import type { CONDITIONS } from '../../../../src/stores/redis/fault-conditions.ts';
import type { FaultReaction } from '../../../../src/stores/redis/fault-reaction.ts';
import { FAULTS } from '../../../../src/stores/redis/fault-reactions.ts';
import type { REPLIES } from '../../../../src/stores/redis/fault-replies.ts';
import { RedisCounters } from '../../../../src/stores/redis/redis-counters.ts';
import { freshKey, setOf } from '../../../support/counter-engines.ts';
import { type RedisServer, type RedisServerOptions, startRedis } from '../../../support/redis-server.ts';

export type Row = keyof typeof REPLIES | keyof typeof CONDITIONS;

const SET = setOf({ algorithm: 'fixed_window', limit: 100, windowMs: 60_000 });
const TIMEOUT_MS = 400;

/** A log that keeps its lines' texts. */
class Told {
  readonly lines: string[] = [];
  readonly info = (_fields: object, message: string): void => void this.lines.push(message);
  readonly warn = (_fields: object, message: string): void => void this.lines.push(message);
}

/** Counters in a Redis that is brought to a fault, and what is to be seen of it. */
export class Subject {
  readonly told = new Told();
  readonly counters: RedisCounters;
  readonly row: FaultReaction;

  constructor(
    t: TestContext,
    row: Row,
    url: string,
    { memoryCheckMs = 60_000, timeoutMs = TIMEOUT_MS } = {},
  ) {
    this.row = FAULTS[row] as FaultReaction;
    this.counters = RedisCounters.connect({
      url,
      timeoutMs,
      clock: systemClock,
      log: this.told,
      memoryCheckMs,
    });
    t.after(() => this.counters.close());
  }

  /** It can be called, whatever it answers. */
  ready(): Promise<void> {
    return until(() => this.counters.stats().isConnected);
  }

  /** 'none': the check was answered. */
  async check(key = freshKey()): Promise<CountersFault | 'none'> {
    try {
      await this.counters.check({ key, set: SET, cost: 1, peek: false });
      return 'none';
    } catch (error) {
      assert.ok(error instanceof CountersError, String(error));
      return error.fault;
    }
  }

  async remaining(key: string): Promise<number | undefined> {
    const { limits } = await this.counters.check({ key, set: SET, cost: 0, peek: true });
    return limits[0]?.remaining;
  }

  faults(): number {
    return this.counters.stats().faults[this.row.kind ?? ''] ?? 0;
  }

  /** Until the checks get again what they should without a fault. */
  async recovered(): Promise<void> {
    await until(async () => (await this.check()) === 'none');
  }

  assertTold(): void {
    const { told } = this.row;
    assert.ok(
      this.told.lines.some((line) => line.startsWith(told ?? '')),
      `"${told}" is not in the log: ${this.told.lines.join('\n')}`,
    );
  }

  /** So many checks cost their deadline at most; the next ones are refused at once, and it is told. */
  async assertMetAfter(timeouts: number): Promise<void> {
    const faults = [];
    while (faults.at(-1) !== 'unavailable' && faults.length <= timeouts) faults.push(await this.check());
    assert.deepEqual([faults[0], faults.at(-1)], [this.row.counters, 'unavailable']);
    assert.ok(this.faults() > 0);
    this.assertTold();
  }

  /** A check meets the fault now: it gets what the table says, the fault is counted and told. */
  async assertMet(key?: string): Promise<void> {
    const before = this.faults();
    const { check, counters, kind } = this.row;
    assert.equal(await this.check(key), check === 'answered' ? 'none' : counters);
    if (kind !== null) assert.ok(this.faults() > before, `${kind} is not counted`);
    if (this.row.told !== undefined) this.assertTold();
  }
}

export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await delay(5);
}

export async function redisFor(t: TestContext, options?: RedisServerOptions): Promise<RedisServer> {
  const server = await startRedis(options);
  t.after(() => server.stop());
  return server;
}

/** A test that proves one row of the table; rows.test.ts holds that each has one. */
export function proves(row: Row, body: (t: TestContext) => Promise<void>): void {
  it(`${row}: ${FAULTS[row]?.fault}`, { timeout: 60_000 }, (t) => body(t as TestContext));
}
