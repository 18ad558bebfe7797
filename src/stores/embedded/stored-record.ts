import type { LimitState } from '../../limiter/algorithms/models.ts';
import type { SlidingLogState } from '../../limiter/algorithms/sliding-log.ts';
import { countIn, DamagedError, listIn, textIn } from './stored-value.ts';

/** What a record is of; the same letters as in Redis. */
const LETTERS = {
  fixed_window: 'f',
  sliding_window: 's',
  sliding_log: 'l',
  token_bucket: 't',
  leaky_bucket: 'k',
  gcra: 'g',
  quota: 'q',
} as const;

const BUCKETS = { t: 'token_bucket', k: 'leaky_bucket', g: 'gcra' } as const;

/** The state of one limit as a list: name, letter, identity, then the algorithm's own numbers. */
export function encodeRecord(name: string, state: LimitState): readonly unknown[] {
  switch (state.algorithm) {
    case 'fixed_window':
      return [name, LETTERS.fixed_window, state.identity, state.startMs, state.used];
    case 'sliding_window':
      return [name, LETTERS.sliding_window, state.identity, state.startMs, state.used, state.usedBefore];
    case 'sliding_log':
      return [name, LETTERS.sliding_log, state.identity, ...encodeLog(state)];
    case 'quota':
      return [name, LETTERS.quota, state.identity, state.startMs, state.endMs, state.used];
    case 'concurrency':
      throw new TypeError('places are kept as leases');
    default:
      return [name, LETTERS[state.algorithm], state.identity, state.level, state.timeMs, state.rate];
  }
}

/** Throws DamagedError. */
export function decodeRecord(value: unknown): [name: string, state: LimitState] {
  const [name, letter, identity, ...numbers] = listIn(value);
  return [textIn(name), decodeState(letter, countIn(identity), numbers)];
}

function decodeState(letter: unknown, identity: number, values: readonly unknown[]): LimitState {
  if (letter === LETTERS.sliding_log) return decodeLog(identity, values);
  const [first = -1, second = -1, third = -1] = values.map(countIn);
  switch (letter) {
    case LETTERS.fixed_window:
      return { algorithm: 'fixed_window', identity, startMs: countIn(first), used: countIn(second) };
    case LETTERS.sliding_window: {
      const counts = { startMs: countIn(first), used: countIn(second), usedBefore: countIn(third) };
      return { algorithm: 'sliding_window', identity, ...counts, elapsedMs: 0 };
    }
    case LETTERS.quota: {
      const period = { startMs: countIn(first), endMs: countIn(second) };
      return { algorithm: 'quota', identity, ...period, used: countIn(third) };
    }
    case LETTERS.token_bucket:
    case LETTERS.leaky_bucket:
    case LETTERS.gcra: {
      const drain = { level: countIn(first), timeMs: countIn(second), rate: countIn(third) };
      return { algorithm: BUCKETS[letter], identity, ...drain };
    }
    default:
      throw new DamagedError(`not an algorithm: ${String(letter)}`);
  }
}

/** The living times, each as the distance from the one before, and the costs, or 0 where all are 1. */
function encodeLog({ times, costs, head }: SlidingLogState): readonly unknown[] {
  const steps: number[] = [];
  let before = 0;
  for (const time of times.slice(head)) {
    steps.push(time - before);
    before = time;
  }
  const living = costs.slice(head);
  return [steps, living.every((cost) => cost === 1) ? 0 : living];
}

function decodeLog(identity: number, [steps, stored]: readonly unknown[]): SlidingLogState {
  let time = 0;
  const times = listIn(steps).map((step) => {
    time += countIn(step);
    return countIn(time);
  });
  const costs = stored === 0 ? times.map(() => 1) : listIn(stored).map(countIn);
  if (costs.length !== times.length) throw new DamagedError('a log of times without their costs');
  const used = countIn(costs.reduce((sum, cost) => sum + cost, 0));
  return { algorithm: 'sliding_log', identity, times, costs, head: 0, used };
}
