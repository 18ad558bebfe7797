import type { AlgorithmModel } from './algorithms/algorithm.ts';
import { NEVER } from './algorithms/algorithm.ts';
import type { Leases } from './algorithms/concurrency.ts';
import { type LimitState, modelOf } from './algorithms/models.ts';
import type { LimitSet } from './counters.ts';
import type { Limit } from './limit.ts';
import {
  expire,
  NO_RESERVATIONS,
  RESERVATION_KEPT_MS,
  type Reservations,
  stateKeyOf,
  without,
} from './reservations.ts';

/** What is held of one identifier in one namespace. */
export interface Held {
  /** By limit name. */
  readonly records: ReadonlyMap<string, LimitState>;
  /** They belong to the identifier, not to a limit, and outlive changes of the rule; so do reservations. */
  readonly leases: Leases;
  readonly reservations: Reservations;
}

export const NOTHING_HELD: Held = { records: new Map(), leases: new Map(), reservations: NO_RESERVATIONS };

/** A limit with its model and its state as it stands now. */
export interface Stood {
  readonly limit: Limit;
  readonly model: AlgorithmModel<LimitState, Limit>;
  readonly state: LimitState;
}

export interface Standings {
  readonly stood: readonly Stood[];
  readonly reservations: Reservations;
  /** A state was re-anchored, or a reservation ran out: what is held has to be written. */
  readonly isChanged: boolean;
}

/** Where all limits of a set stand now, once what has run out no longer counts. */
export function standings(set: LimitSet, held: Held, nowMs: number): Standings {
  const { left, ended } =
    nowMs < held.reservations.earliestMs
      ? { left: held.reservations, ended: [] }
      : expire(held.reservations, nowMs);
  let isChanged = ended.length > 0;
  const stood = set.limits.map((limit): Stood => {
    const model = modelOf(limit.algorithm);
    let { state, isReanchored } = model.stand(limit, storedState(limit, held), nowMs);
    isChanged ||= isReanchored;
    for (const { cost, madeMs, expiresMs, charged } of ended) {
      if (charged.get(limit.name) !== stateKeyOf(limit)) continue;
      state = model.giveBack(limit, state, { amount: cost, reserved: cost, madeMs, asOfMs: expiresMs });
    }
    return { limit, model, state };
  });
  return { stood, reservations: left, isChanged };
}

function storedState(
  { algorithm, name, identity }: Limit,
  { records, leases }: Held,
): LimitState | undefined {
  if (algorithm === 'concurrency') return { algorithm, identity, leases };
  const record = records.get(name);
  return record?.algorithm === algorithm && record.identity === identity ? record : undefined;
}

/** What is to be held from now on; limits that are gone from the set are left out. */
export function heldAfter(stood: readonly Stood[], reservations: Reservations, before: Held): Held {
  const records = new Map<string, LimitState>();
  let { leases } = before;
  for (const { limit, state } of stood) {
    if (state.algorithm === 'concurrency') leases = state.leases;
    else records.set(limit.name, state);
  }
  const givenUp = new Map<string, string>();
  for (const [name, record] of before.records) {
    const now = records.get(name);
    const isKept = now?.algorithm === record.algorithm && now.identity === record.identity;
    if (!isKept) givenUp.set(name, stateKeyOf(record));
  }
  return { records, leases, reservations: givenUp.size > 0 ? without(reservations, givenUp) : reservations };
}

/** From when on what is held is worth no more than nothing; Infinity for a quota without an end. */
export function endOf(stood: readonly Stood[], { leases, reservations }: Held, nowMs: number): number {
  const limits = stood.map((entry) => endOfLimit(entry, nowMs));
  const kept = [...reservations.byToken.values()].map(({ expiresMs }) => expiresMs + RESERVATION_KEPT_MS);
  return Math.max(nowMs, ...limits, ...leases.values(), ...kept);
}

/** A limit of 0 never becomes whole; what it holds is kept for a window, in case it is raised again. */
function endOfLimit({ limit, model, state }: Stood, nowMs: number): number {
  if (limit.limit === 0 && 'windowMs' in limit) return nowMs + limit.windowMs;
  const wholeAtMs = model.wholeAtMs(limit, state, nowMs);
  return wholeAtMs === NEVER ? Number.POSITIVE_INFINITY : wholeAtMs;
}
