import type { LimitSet, Settlement } from './counters.ts';
import { endOf, type Held, heldAfter, type Stood, standings } from './held.ts';
import { BRIEF, type Reservation, reservationsOf, stateKeyOf } from './reservations.ts';

export interface SettlementDecision {
  /** Undefined: there is no such reservation. */
  readonly settlement: Settlement | undefined;
  /** What the store must hold from now on; undefined: nothing changed. */
  readonly held: Held | undefined;
  readonly expiresAtMs: number;
}

/**
 * Commits a reservation's real cost, or drops it with a cost of 0; doing so again repeats the first
 * answer. The reference of lua/settle.lua.
 */
export function settleReservation(
  set: LimitSet,
  held: Held,
  { token, cost }: { readonly token: string; readonly cost: number },
  nowMs: number,
): SettlementDecision {
  const known = held.reservations.byToken.get(token);
  if (known?.state === 'settled')
    return unchanged({ reserved: known.cost, actual: known.actual, isLate: known.isLate }, nowMs);
  const { stood, reservations, isChanged } = standings(set, held, nowMs);
  const reservation = reservations.byToken.get(token);
  if (reservation === undefined) {
    if (!isChanged) return unchanged(undefined, nowMs);
    const next = heldAfter(stood, reservations, held);
    return { settlement: undefined, held: next, expiresAtMs: endOf(stood, next, nowMs) };
  }
  const isLate = reservation.state === 'expired';
  const adjusted = stood.map((entry) => adjust(entry, reservation, cost, nowMs));
  const settled: Reservation = { ...reservation, state: 'settled', actual: cost, isLate };
  const byToken = new Map(reservations.byToken);
  if (token.startsWith(BRIEF)) byToken.delete(token);
  else byToken.set(token, settled);
  const next = heldAfter(adjusted, reservationsOf(byToken), held);
  return {
    settlement: { reserved: reservation.cost, actual: cost, isLate },
    held: next,
    expiresAtMs: endOf(adjusted, next, nowMs),
  };
}

function unchanged(settlement: Settlement | undefined, nowMs: number): SettlementDecision {
  return { settlement, held: undefined, expiresAtMs: nowMs };
}

function adjust(
  entry: Stood,
  { cost: reserved, charged, madeMs, state: stage }: Reservation,
  actual: number,
  nowMs: number,
): Stood {
  const { limit, model, state } = entry;
  const key = charged.get(limit.name);
  if (key === undefined) return entry;
  // Of a count that was given up, or given back when it ran out, nothing is left of it.
  const counted = stage === 'expired' || key !== stateKeyOf(limit) ? 0 : reserved;
  if (actual > counted) return { ...entry, state: model.charge(limit, state, actual - counted, nowMs) };
  if (actual === counted) return entry;
  return {
    ...entry,
    state: model.giveBack(limit, state, { amount: counted - actual, reserved, madeMs, asOfMs: nowMs }),
  };
}
