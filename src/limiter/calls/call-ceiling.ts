import { Calendar } from '../calendar.ts';
import type { LimitSet } from '../counters.ts';

/** How many calls somebody may make, and in what portions a node takes them from the counters. */
export interface CallCeiling {
  /** One limit, as the counters keep it. */
  readonly set: LimitSet;
  /** The most at once, or in a day. */
  readonly capacity: number;
  /** How much of a call comes back in a millisecond; 0: nothing before the end of the day. */
  readonly growthPerMs: number;
  /** At most so many calls may a node have in advance of the counters, or owe them, taken together. */
  readonly block: number;
}

/** A block of a rate is what comes back in so long. */
const RATE_BLOCK_SHARE = 0.1;
/** A block of a budget is so much of it, within a bound. */
const BUDGET_BLOCK_SHARE = 0.001;
const BUDGET_BLOCK_MAX = 1000;

const NAME = 'calls';
const DAY_MS = 86_400_000;
const UTC_DAY = new Calendar({
  period: 'day',
  timeZone: 'UTC',
  anchor: { minute: 0, weekday: 1, day: 1, month: 1 },
});

/** `rate` calls a second and `burst` at once; integers from 1 to a million. */
export function rateCeiling(rate: number, burst: number): CallCeiling {
  const windowMs = 1000;
  const limit = { name: NAME, mode: 'enforce', algorithm: 'gcra', limit: rate, burst, windowMs } as const;
  return {
    set: { limits: [{ ...limit, identity: windowMs }] },
    capacity: burst,
    growthPerMs: rate / windowMs,
    block: blockOf(Math.min(rate * RATE_BLOCK_SHARE, burst / 2)),
  };
}

/** So many calls from midnight to midnight, UTC. */
export function dayCeiling(budget: number): CallCeiling {
  const limit = { name: NAME, mode: 'enforce', algorithm: 'quota', limit: budget } as const;
  return {
    set: { limits: [{ ...limit, calendar: UTC_DAY, identity: UTC_DAY.id }] },
    capacity: budget,
    growthPerMs: 0,
    block: blockOf(Math.min(budget * BUDGET_BLOCK_SHARE, BUDGET_BLOCK_MAX)),
  };
}

/** The next midnight, UTC, in epoch milliseconds. */
export function endOfDayMs(nowMs: number): number {
  return (Math.floor(nowMs / DAY_MS) + 1) * DAY_MS;
}

function blockOf(calls: number): number {
  return Math.max(1, Math.floor(calls));
}
