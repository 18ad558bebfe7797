import { randomBytes } from 'node:crypto';
import type { CounterCheck, LimitSet } from '../../src/limiter/counters.ts';
import { LIMIT_MAX, WINDOW_ALGORITHMS } from '../../src/limiter/limit.ts';
import { newToken } from '../../src/limiter/sealed-id.ts';
import { limitOf, quotaOf, setOf } from '../../test/support/counter-engines.ts';

/** What one line of the table measures: identifiers that have each used up a limit of ten. */
export interface Subject {
  readonly name: string;
  readonly identifiers: number;
  readonly checksEach: number;
  /** A rule whose state lives at least `lifeMs` from now, and not much longer. */
  setAt(nowMs: number, lifeMs: number): LimitSet;
  check(key: string, set: LimitSet): CounterCheck;
}

const LIMIT = 10;
/** As the only limit of a rule is called. */
const NAME = 'default';

export function subjects(identifiers: number): Subject[] {
  const windows = WINDOW_ALGORITHMS.map((algorithm) => ({
    ...ordinary(algorithm, identifiers),
    setAt: (nowMs: number, lifeMs: number) => {
      const windowMs = algorithm === 'fixed_window' ? windowWithLife(nowMs, lifeMs) : lifeMs;
      return setOf({ name: NAME, algorithm, limit: LIMIT, windowMs });
    },
  }));
  const log = windows.find(({ name }) => name === 'sliding_log');
  return [
    ...windows,
    ...(log === undefined ? [] : [{ ...log, identifiers: Math.ceil(identifiers / LIMIT), ...ONE_BY_ONE }]),
    { ...ordinary('quota', identifiers), setAt: hourThatEndsSoon },
    {
      ...ordinary('concurrency', identifiers),
      setAt: (_nowMs, lifeMs) => ({
        limits: [
          {
            name: NAME,
            mode: 'enforce',
            algorithm: 'concurrency',
            limit: LIMIT,
            ttlMs: lifeMs,
            identity: 0,
          },
        ],
      }),
      check: (key, set) => ({ ...ofCost(1)(key, set), holder: newToken(leaseMs(set)) }),
    },
  ];
}

/** Named by the 22 characters by which Brume names a state. */
export function newKey(): string {
  return randomBytes(16).toString('base64url');
}

/** A rule that never denies: for letting a table work. */
export function endlessSet(): LimitSet {
  return { limits: [limitOf({ algorithm: 'fixed_window', limit: LIMIT_MAX, windowMs: 1000 })] };
}

const ofCost =
  (cost: number) =>
  (key: string, set: LimitSet): CounterCheck => ({ key, set, cost, peek: false });

function ordinary(name: string, identifiers: number) {
  return { name, identifiers, checksEach: 1, check: ofCost(LIMIT) };
}

const ONE_BY_ONE = { name: `sliding_log, ${LIMIT} entries`, checksEach: LIMIT, check: ofCost(1) };

/** Windows are multiples since the epoch: one whose present window has so long to go. */
function windowWithLife(nowMs: number, lifeMs: number): number {
  let windowMs = lifeMs;
  while (windowMs - (nowMs % windowMs) < lifeMs * 0.9) windowMs += 997;
  return windowMs;
}

function hourThatEndsSoon(nowMs: number, lifeMs: number): LimitSet {
  const minute = Math.ceil((nowMs + lifeMs) / 60_000) % 60;
  return setOf(quotaOf(LIMIT, 'hour', { name: NAME, anchor: { minute } }));
}

function leaseMs({ limits: [limit] }: LimitSet): number {
  return limit?.algorithm === 'concurrency' ? limit.ttlMs : 0;
}
