import { cappedSum } from '../integer.ts';
import type { AlgorithmModel } from './algorithm.ts';

/**
 * The exact history: an entry for each admitted check, in order of time; it counts while its time
 * is later than now - windowMs. `times[i]` and `costs[i]` from `head` on are alive.
 */
export interface SlidingLogState {
  readonly algorithm: 'sliding_log';
  readonly identity: number;
  readonly times: readonly number[];
  readonly costs: readonly number[];
  readonly head: number;
  /** Sum of the living costs. */
  readonly used: number;
}

/**
 * So many entries are looked at for a retry time. A denied check, which anybody can repeat, must not
 * cost by the length of the log; beyond, the time that is told may be later than needed, never earlier.
 */
const WALK_MAX = 64;

export const slidingLog: AlgorithmModel<SlidingLogState> = {
  stand({ windowMs }, stored, nowMs) {
    if (stored === undefined) {
      return {
        state: { algorithm: 'sliding_log', identity: windowMs, times: [], costs: [], head: 0, used: 0 },
        isReanchored: false,
      };
    }
    const isReanchored = (stored.times.at(-1) ?? 0) > nowMs;
    const times = isReanchored ? stored.times.map((timeMs) => Math.min(timeMs, nowMs)) : stored.times;
    let { head, used } = stored;
    while (head < times.length && at(times, head) + windowMs <= nowMs) {
      used -= at(stored.costs, head);
      head++;
    }
    return { state: { ...stored, times, head, used }, isReanchored };
  },

  admits: ({ limit }, { used }, cost) => cost <= limit - used,

  consume: (_limit, state, cost, nowMs) => pushed(state, cost, nowMs),

  charge(_limit, state, amount, nowMs) {
    const counted = cappedSum(state.used, amount) - state.used;
    return counted === 0 ? state : pushed(state, counted, nowMs);
  },

  /** In the order of their times, of equal ones those that were there first. */
  add(_limit, state, counted) {
    let { used } = state;
    const added = living(counted).map(([timeMs, cost]): [number, number] => {
      const before = used;
      used = cappedSum(used, cost);
      return [timeMs, used - before];
    });
    const entries = [...living(state), ...added.filter(([, cost]) => cost > 0)].sort(([a], [b]) => a - b);
    const times = entries.map(([timeMs]) => timeMs);
    return { ...state, times, costs: entries.map(([, cost]) => cost), head: 0, used };
  },

  giveBack(_limit, state, { amount, reserved, madeMs }) {
    const index = state.times.findIndex(
      (timeMs, at) => at >= state.head && timeMs === madeMs && state.costs[at] === reserved,
    );
    if (index < 0) return state;
    const kept = reserved - amount;
    const isGone = kept === 0 ? 1 : 0;
    return {
      ...state,
      times: state.times.toSpliced(index, isGone),
      costs: state.costs.toSpliced(index, 1, ...(isGone ? [] : [kept])),
      used: state.used - amount,
    };
  },

  remaining: ({ limit }, { used }) => Math.max(0, limit - used),

  wholeAtMs: ({ windowMs }, { times, used }, nowMs) =>
    used > 0 ? at(times, times.length - 1) + windowMs : nowMs,

  retryAtMs({ limit, windowMs }, { times, costs, head, used }, cost) {
    let toFree = used - (limit - cost);
    let index = head;
    for (; index < head + WALK_MAX; index++) {
      if (toFree <= at(costs, index)) return at(times, index) + windowMs;
      toFree -= at(costs, index);
    }
    // Each further entry frees at least 1: at the latest this one does. Exact where all costs are 1.
    return at(times, Math.min(index + toFree - 1, times.length - 1)) + windowMs;
  },
};

function living({ times, costs, head }: SlidingLogState): [timeMs: number, cost: number][] {
  return times.slice(head).map((timeMs, index) => [timeMs, at(costs, head + index)]);
}

function pushed(state: SlidingLogState, cost: number, nowMs: number): SlidingLogState {
  // Dead entries are cut off once they are half of the array: each is then moved once at most.
  const isMostlyDead = state.head * 2 >= state.times.length;
  const times = isMostlyDead ? state.times.slice(state.head) : (state.times as number[]);
  const costs = isMostlyDead ? state.costs.slice(state.head) : (state.costs as number[]);
  times.push(nowMs);
  costs.push(cost);
  return { ...state, times, costs, head: isMostlyDead ? 0 : state.head, used: state.used + cost };
}

function at(numbers: readonly number[], index: number): number {
  const value = numbers[index];
  if (value === undefined) throw new RangeError(`the log has no entry ${index} of ${numbers.length}`);
  return value;
}
