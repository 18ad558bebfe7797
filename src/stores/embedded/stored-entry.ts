import { type CounterOutcome, type LimitOutcome, REQUEST_ID_KEPT_MS } from '../../limiter/counters.ts';
import type { Held } from '../../limiter/held.ts';
import { NO_RESERVATIONS, type Reservation, reservationsOf } from '../../limiter/reservations.ts';
import type { Entry, Moment } from './entry.ts';
import type { DatedAnswer } from './kept-answers.ts';
import { decodeRecord, encodeRecord } from './stored-record.ts';
import { countIn, DamagedError, flagIn, listIn, textIn, timeIn } from './stored-value.ts';

/** Of the lists below; a file names the one that it was written in. */
export const FORMAT_VERSION = 1;

/**
 * An entry as a list that can be written as JSON: `[key, ends, records]`, and behind them, if there are
 * any, `leases, reservations, answers, isPartial`. A partial one has only those answers that were kept
 * since the one before; any other replaces what was written of this key. `[key]`: it was reset.
 */
export type StoredEntry = readonly unknown[];

/** Times are by the wall clock, so that they hold in another process. */
export function encodeEntry(key: string, entry: Entry, moment: Moment, isWholeWanted = true): StoredEntry {
  const { held, answers } = entry;
  const lastsMs = entry.expiresMonotonicMs - moment.monotonicMs;
  const endsMs = lastsMs === Number.POSITIVE_INFINITY ? -1 : Math.ceil(moment.nowMs + lastsMs);
  const records = Array.from(held.records, ([name, state]) => encodeRecord(name, state));
  const isBare = answers === undefined && held.leases.size === 0 && held.reservations.byToken.size === 0;
  if (isBare) return [key, endsMs, records];
  const kept = answers?.takeUnwritten(isWholeWanted, moment.monotonicMs) ?? { isWhole: true, answers: [] };
  return [
    key,
    endsMs,
    records,
    Array.from(held.leases),
    Array.from(held.reservations.byToken, ([token, reservation]) => encodeReservation(token, reservation)),
    kept.answers.map(([id, answer]) => encodeAnswer(id, answer, moment)),
    kept.isWhole ? 0 : 1,
  ];
}

export function encodeReset(key: string): StoredEntry {
  return [key];
}

/** What one stored entry says. */
export interface DecodedEntry {
  readonly held: Held;
  /** By the monotonic clock; in the past if it has ended. */
  readonly expiresMonotonicMs: number;
  /** The oldest first. */
  readonly answers: readonly [string, DatedAnswer][];
  /** What was written of this key before counts for nothing. */
  readonly isWhole: boolean;
}

/**
 * Of a clock that was set back since, an entry counts as saved now: it never lasts longer than it would
 * have then. Undefined for one that was reset. Throws DamagedError.
 */
export function decodeEntry(stored: StoredEntry, savedMs: number, moment: Moment): DecodedEntry | undefined {
  if (stored.length === 1) return undefined;
  const [, ends, records, leases = [], reservations = [], answers = [], isPartial = 0] = stored;
  const endsMs = timeIn(ends) === -1 ? Number.POSITIVE_INFINITY : countIn(ends);
  const lastsMs = Math.min(endsMs - moment.nowMs, Math.max(0, endsMs - savedMs));
  const byToken = new Map(listIn(reservations).map(decodeReservation));
  return {
    held: {
      records: new Map(listIn(records).map(decodeRecord)),
      leases: new Map(listIn(leases).map(decodeLease)),
      reservations: byToken.size === 0 ? NO_RESERVATIONS : reservationsOf(byToken),
    },
    expiresMonotonicMs: moment.monotonicMs + lastsMs,
    answers: listIn(answers)
      .map((answer) => decodeAnswer(answer, moment))
      .filter(([, { keptMonotonicMs }]) => moment.monotonicMs < keptMonotonicMs + REQUEST_ID_KEPT_MS),
    isWhole: !flagIn(isPartial),
  };
}

/** Throws DamagedError. */
export function keyOf(stored: StoredEntry): string {
  return textIn(stored[0]);
}

function decodeLease(value: unknown): [holder: string, expiresMs: number] {
  const [holder, expiresMs] = listIn(value);
  return [textIn(holder), countIn(expiresMs)];
}

const STATES = ['open', 'expired', 'settled'] as const;

function encodeReservation(token: string, reservation: Reservation): readonly unknown[] {
  const { cost, madeMs, expiresMs, charged, state, actual, isLate } = reservation;
  return [token, cost, madeMs, expiresMs, STATES.indexOf(state), actual, isLate ? 1 : 0, Array.from(charged)];
}

function decodeReservation(value: unknown): [token: string, Reservation] {
  const [token, cost, madeMs, expiresMs, stage, actual, isLate, charged] = listIn(value);
  const state = STATES[countIn(stage)];
  if (state === undefined) throw new DamagedError(`not the state of a reservation: ${String(stage)}`);
  return [
    textIn(token),
    {
      cost: countIn(cost),
      madeMs: countIn(madeMs),
      expiresMs: countIn(expiresMs),
      charged: new Map(listIn(charged).map(decodeCharged)),
      state,
      actual: countIn(actual),
      isLate: flagIn(isLate),
    },
  ];
}

function decodeCharged(value: unknown): [name: string, stateKey: string] {
  const [name, stateKey] = listIn(value);
  return [textIn(name), textIn(stateKey)];
}

function encodeAnswer(id: string, answer: DatedAnswer, { nowMs, monotonicMs }: Moment): readonly unknown[] {
  const { cost, token = 0, signature, outcome, keptMonotonicMs } = answer;
  const keptMs = Math.floor(nowMs - (monotonicMs - keptMonotonicMs));
  return [id, keptMs, cost, token, signature, outcome.nowMs, outcome.limits.map(encodeOutcome)];
}

function decodeAnswer(value: unknown, { nowMs, monotonicMs }: Moment): [id: string, DatedAnswer] {
  const [id, keptMs, cost, storedToken, signature, decidedMs, limits] = listIn(value);
  const token = storedToken === 0 ? undefined : textIn(storedToken);
  // Only what was admitted by itself is ever kept.
  const outcome: CounterOutcome = {
    admitted: true,
    isHeldBack: false,
    isRepeated: false,
    token,
    nowMs: countIn(decidedMs),
    limits: listIn(limits).map(decodeOutcome),
  };
  const keptMonotonicMs = monotonicMs - Math.max(0, nowMs - countIn(keptMs));
  return [textIn(id), { cost: countIn(cost), token, signature: textIn(signature), outcome, keptMonotonicMs }];
}

function encodeOutcome(limit: LimitOutcome): readonly number[] {
  const { admits, remaining, resetMs, retryAtMs, growsAtMs, delayMs } = limit;
  return [admits ? 1 : 0, remaining, resetMs, retryAtMs, growsAtMs, delayMs];
}

function decodeOutcome(value: unknown): LimitOutcome {
  const [admits, remaining, resetMs, retryAtMs, growsAtMs, delayMs] = listIn(value);
  return {
    admits: flagIn(admits),
    remaining: countIn(remaining),
    resetMs: timeIn(resetMs),
    retryAtMs: timeIn(retryAtMs),
    growsAtMs: timeIn(growsAtMs),
    delayMs: countIn(delayMs),
  };
}
