import { ceilDiv, floorDiv } from '../integer.ts';
import { BUCKET_UNITS_MAX, type WindowLimit } from '../limit.ts';
import type { AlgorithmModel } from './algorithm.ts';

type BucketAlgorithm = 'gcra' | 'token_bucket' | 'leaky_bucket';

/**
 * A level that rises by the cost and drains at `limit` per `windowMs`, admitting while it stays
 * within `burst`. The three algorithms of this family admit alike: gcra (ITU-T I.371, annex A) and
 * the token bucket (RFC 2697, with the missing tokens counted instead of the present ones) are this,
 * and so is the leaky bucket as a meter, which also says in `delayMs` when its drip comes.
 *
 * The level is an integer in units of 1/windowMs of a token: a token is `windowMs` units, and
 * `limit` units drain in a millisecond, so that no rate rounds to zero. What is kept is the level
 * with its time and rate rather than the customary arrival time: a changed limit then applies from
 * the change on, not to the time before it.
 */
export interface BucketState {
  readonly algorithm: BucketAlgorithm;
  readonly identity: number;
  readonly level: number;
  readonly timeMs: number;
  /** The limit under which the level drains since `timeMs`. */
  readonly rate: number;
}

function bucket(algorithm: BucketAlgorithm): AlgorithmModel<BucketState> {
  return {
    stand({ limit, windowMs }, stored, nowMs) {
      const level = stored === undefined ? 0 : drained(stored, nowMs);
      return {
        state: { algorithm, identity: windowMs, level, timeMs: nowMs, rate: limit },
        isReanchored: stored !== undefined && level > 0 && (stored.timeMs > nowMs || stored.rate !== limit),
      };
    },

    admits: (limit, { level }, cost) => level <= (limit.burst - cost) * limit.windowMs,

    consume: ({ windowMs }, state, cost) => ({ ...state, level: state.level + cost * windowMs }),

    charge({ windowMs }, state, amount) {
      const amountMax = floorDiv(BUCKET_UNITS_MAX - state.level, windowMs);
      return { ...state, level: state.level + Math.min(amount, amountMax) * windowMs };
    },

    add: (_limit, state, { level }) => ({
      ...state,
      level: state.level + Math.min(level, BUCKET_UNITS_MAX - state.level),
    }),

    giveBack({ limit, windowMs }, state, { amount, madeMs, asOfMs }) {
      const left = drained({ level: amount * windowMs, timeMs: madeMs, rate: limit }, asOfMs);
      return { ...state, level: Math.max(0, state.level - left) };
    },

    remaining: (limit, { level }) => Math.max(0, floorDiv(roomOf(limit) - level, limit.windowMs)),

    wholeAtMs: ({ limit }, { level }, nowMs) => nowMs + ceilDiv(level, limit),

    retryAtMs: ({ limit, burst, windowMs }, { level }, cost, nowMs) =>
      nowMs + ceilDiv(level - (burst - cost) * windowMs, limit),
  };
}

export const gcra = bucket('gcra');
export const tokenBucket = bucket('token_bucket');
export const leakyBucket: AlgorithmModel<BucketState> = {
  ...bucket('leaky_bucket'),
  delayMs: ({ limit }, { level }) => ceilDiv(level, limit),
};

function roomOf({ burst, windowMs }: WindowLimit): number {
  return burst * windowMs;
}

/** Never multiplies before it knows that the product stays below the level. */
function drained(
  { level, timeMs, rate }: Pick<BucketState, 'level' | 'timeMs' | 'rate'>,
  nowMs: number,
): number {
  const elapsedMs = nowMs - timeMs;
  if (elapsedMs <= 0 || rate === 0) return level;
  return elapsedMs >= ceilDiv(level, rate) ? 0 : level - elapsedMs * rate;
}
