import { BrumeError } from '../errors/catalogue.ts';
import { NEVER, NOW } from './algorithms/algorithm.ts';
import { ttlOf } from './algorithms/concurrency.ts';
import type { LimitState } from './algorithms/models.ts';
import type { CounterCheck, CounterOutcome, LimitOutcome, LimitSet } from './counters.ts';
import { endOf, type Held, heldAfter, NOTHING_HELD, type Stood, standings } from './held.ts';
import { capacityOf } from './limit.ts';
import { hasRoom, type Reservations, reservationsOf, stateKeyOf, toldToken } from './reservations.ts';

export interface Decision {
  readonly outcome: CounterOutcome;
  /** What the store must hold from now on; undefined: nothing changed. */
  readonly held: Held | undefined;
  /** From this moment on it is worth no more than nothing; Infinity for a quota without an end. */
  readonly expiresAtMs: number;
}

/** What one limit says of a check, before anything is committed. */
interface Judged extends Stood {
  /** What is asked of it: the cost, or one place. */
  readonly amount: number;
  /** A place can only be held by somebody; whoever merely looks is told how it stands. */
  readonly lacksHolder: boolean;
  readonly admits: boolean;
}

interface Settled extends Judged {
  readonly isCharged: boolean;
  /** Before the commit, if there was one. */
  readonly before: LimitState;
}

type Asked = Pick<CounterCheck, 'cost' | 'peek' | 'holder' | 'reservation' | 'ruling'>;

/**
 * The reference of what lua/check.lua does: looks at every limit first, then commits the cost to all
 * that are enforced or to none; a shadow limit counts for itself what it would admit. Pure, but for
 * what is held, whose states are used up by a commit.
 * Throws BrumeError reservations_full, having changed nothing.
 */
export function decide(set: LimitSet, held: Held = NOTHING_HELD, asked: Asked, nowMs: number): Decision {
  if (asked.ruling !== undefined) return ruled(asked.ruling, nowMs);
  const { stood, reservations, isChanged: isMoved } = standings(set, held, nowMs);
  const token = asked.peek ? undefined : asked.reservation;
  if (token !== undefined && !hasRoom(reservations, token)) throw new BrumeError('reservations_full');
  const judged = stood.map((entry) => judgeOne(entry, asked));
  const admitted = judged.every(({ limit, admits }) => admits || limit.mode === 'shadow');
  const settled = judged.map((entry) => settle(entry, asked, admitted, nowMs));
  const isReserved = admitted && token !== undefined;
  const isChanged = isMoved || isReserved || settled.some(({ isCharged }) => isCharged);
  const outcome = {
    admitted,
    isHeldBack: false,
    isRepeated: false,
    token: admitted && !asked.peek ? toldToken(asked) : undefined,
    nowMs,
    limits: settled.map((entry) => outcomeOf(entry, nowMs)),
  };
  if (!isChanged) return { outcome, held: undefined, expiresAtMs: nowMs };
  const reserved = isReserved
    ? withReservation(reservations, token, asked.cost, settled, nowMs)
    : reservations;
  const next = heldAfter(settled, reserved, held);
  return { outcome, held: next, expiresAtMs: endOf(settled, next, nowMs) };
}

/** By a block or an exemption, whatever is held. */
function ruled(ruling: 'blocked' | 'exempt', nowMs: number): Decision {
  const outcome = {
    admitted: ruling === 'exempt',
    isHeldBack: false,
    isRepeated: false,
    token: undefined,
    nowMs,
    limits: [],
  };
  return { outcome, held: undefined, expiresAtMs: nowMs };
}

function judgeOne({ limit, model, state }: Stood, { cost, peek, holder }: Asked): Judged {
  const isPlace = limit.algorithm === 'concurrency';
  const amount = isPlace ? 1 : cost;
  const lacksHolder = isPlace && holder === undefined && !peek && limit.mode === 'enforce';
  const fits = limit.limit > 0 && amount <= capacityOf(limit) && !lacksHolder;
  return { limit, model, state, amount, lacksHolder, admits: fits && model.admits(limit, state, amount) };
}

function settle(entry: Judged, { peek, holder }: Asked, admitted: boolean, nowMs: number): Settled {
  const { limit, model, state, amount, admits } = entry;
  const isPlace = limit.algorithm === 'concurrency';
  // A lease that was given must be one, on trial too: its places are counted beyond the limit.
  const isShadow = limit.mode === 'shadow' && !isPlace;
  const isCharged =
    !peek && amount > 0 && (!isPlace || holder !== undefined) && (isShadow ? admits : admitted);
  const after = isCharged ? model.consume(limit, state, amount, nowMs, holder) : state;
  return { ...entry, isCharged, before: state, state: after };
}

function withReservation(
  { byToken }: Reservations,
  token: string,
  cost: number,
  settled: readonly Settled[],
  nowMs: number,
): Reservations {
  const charged = new Map(
    settled.filter(({ isCharged }) => isCharged).map(({ limit }) => [limit.name, stateKeyOf(limit)]),
  );
  const expiresMs = nowMs + ttlOf(token);
  const made = { cost, madeMs: nowMs, expiresMs, charged, state: 'open', actual: 0, isLate: false } as const;
  return reservationsOf(new Map(byToken).set(token, made));
}

function outcomeOf(
  { limit, model, before, amount, lacksHolder, admits, state }: Settled,
  nowMs: number,
): LimitOutcome {
  if (limit.limit === 0) {
    return { admits, remaining: 0, resetMs: NEVER, retryAtMs: NEVER, growsAtMs: NEVER, delayMs: 0 };
  }
  const remaining = model.remaining(limit, state);
  const isHopeless = lacksHolder || amount > capacityOf(limit);
  const retryAtMs = () => (isHopeless ? NEVER : model.retryAtMs(limit, before, amount, nowMs));
  return {
    admits,
    remaining,
    resetMs: model.wholeAtMs(limit, state, nowMs),
    retryAtMs: admits ? NOW : retryAtMs(),
    // One more passes at the moment at which a check of `remaining + 1` would.
    growsAtMs: remaining >= capacityOf(limit) ? NOW : model.retryAtMs(limit, state, remaining + 1, nowMs),
    delayMs: (admits && model.delayMs?.(limit, before)) || 0,
  };
}
