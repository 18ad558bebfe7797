import type { LimitState } from '../../limiter/algorithms/models.ts';
import { type LimitOutcome, type LimitSet, REQUEST_ID_KEPT_MS } from '../../limiter/counters.ts';
import { WINDOW_MS_MAX } from '../../limiter/limit.ts';
import { RESERVATION_KEPT_MS, type Reservation, type Reservations } from '../../limiter/reservations.ts';
import { signatureOf } from '../../limiter/signature.ts';
import type { Entry, Moment } from '../embedded/entry.ts';
import type { DatedAnswer } from '../embedded/kept-answers.ts';
import { LETTERS } from './encode-call.ts';
import { leasesKey, stateKey, tagOf } from './script-keys.ts';

/** A command of Redis with its arguments. */
export type RedisCommand = readonly [name: string, ...args: string[]];

export interface EntryMoment extends Moment {
  /** As TTL_MARGIN_MS in lua/clock.lua: tests under an injected clock only. */
  readonly ttlMarginMs?: number;
}

/**
 * By the signature of a limit set, which of its limits are leaky buckets: the scripts write their delay behind
 * the other numbers of an answer, and an answer doesn't tell which they are.
 */
export type KnownSets = ReadonlyMap<string, readonly boolean[]>;

export function knownSetsOf(sets: Iterable<LimitSet>): KnownSets {
  const known = new Map<string, readonly boolean[]>();
  for (const set of sets) {
    known.set(
      signatureOf(set),
      set.limits.map(({ algorithm }) => algorithm === 'leaky_bucket'),
    );
  }
  return known;
}

/** As in lua/sliding-log.lua: a list outlives its record. */
const LIST_TTL_MARGIN_MS = 1000;
const PUSH_MAX = 1000;

/**
 * What writes an entry of the embedded counters into Redis just as the scripts in lua/ would have left it,
 * had it been counted there. lua/check.lua says which keys there are and what stands in them.
 */
export function entryCommands(
  key: string,
  entry: Entry,
  moment: EntryMoment,
  knownSets: KnownSets,
): RedisCommand[] {
  const { held, answers } = entry;
  const lastsMs = entry.expiresMonotonicMs - moment.monotonicMs;
  const kept = answers?.takeUnwritten(true, moment.monotonicMs).answers ?? [];
  return [
    ...stateCommands(key, entry, moment),
    ...Array.from(held.records).flatMap(([name, state]) =>
      logCommands(`${stateKey(key)}:${name}`, state, moment),
    ),
    ...leaseCommands(leasesKey(key), held.leases, moment),
    ...reservationCommands(`${stateKey(key)}:reservations`, held.reservations, lastsMs, moment),
    ...answerCommands(key, kept, knownSets, moment),
  ];
}

function stateCommands(
  key: string,
  { held, expiresMonotonicMs }: Entry,
  moment: EntryMoment,
): RedisCommand[] {
  const records = Array.from(held.records, ([name, state]) =>
    [name, LETTERS[state.algorithm], state.identity, ...numbersOf(state)].join(':'),
  );
  const { earliestMs } = held.reservations;
  if (earliestMs !== Number.POSITIVE_INFINITY) records.push(`-:r:0:${earliestMs}:0`);
  if (records.length === 0) return [];
  const text = ['1', ...records].join(' ');
  const lastsMs = expiresMonotonicMs - moment.monotonicMs;
  if (lastsMs === Number.POSITIVE_INFINITY) return [['set', stateKey(key), text]];
  return [['set', stateKey(key), text, 'px', ttl(lastsMs, moment)]];
}

export function numbersOf(state: LimitState): readonly number[] {
  switch (state.algorithm) {
    case 'fixed_window':
    case 'quota':
      return [state.startMs, state.used];
    case 'sliding_window':
      return [state.startMs, state.used, state.usedBefore];
    case 'sliding_log':
      return [state.used, state.times.length - state.head, state.times.at(-1) ?? 0];
    case 'concurrency':
      throw new TypeError('places are kept as leases');
    default:
      return [state.level, state.timeMs, state.rate];
  }
}

function logCommands(key: string, state: LimitState, moment: EntryMoment): RedisCommand[] {
  if (state.algorithm !== 'sliding_log' || state.times.length === state.head) return [];
  const costs = state.costs.slice(state.head);
  const texts = state.times.slice(state.head).map((timeMs, index) => {
    const cost = costs[index] ?? 1;
    return cost === 1 ? String(timeMs) : `${timeMs}:${cost}`;
  });
  return [...pushes(key, texts), ['pexpire', key, ttl(state.identity + LIST_TTL_MARGIN_MS, moment)]];
}

function leaseCommands(key: string, leases: Entry['held']['leases'], moment: EntryMoment): RedisCommand[] {
  if (leases.size === 0) return [];
  const lastMs = Math.max(...leases.values());
  return [
    ['zadd', key, ...Array.from(leases).flatMap(([holder, expiresMs]) => [String(expiresMs), holder])],
    ['pexpire', key, ttl(lastMs - moment.nowMs, moment)],
  ];
}

/**
 * What ran out and was not given back yet is given back by the next check: so long as the state lasts, it must
 * find the reservation.
 */
function reservationCommands(
  key: string,
  { byToken, earliestMs }: Reservations,
  stateLastsMs: number,
  moment: EntryMoment,
): RedisCommand[] {
  if (byToken.size === 0) return [];
  const lastMs = Math.max(
    ...Array.from(byToken.values(), ({ expiresMs }) => expiresMs + RESERVATION_KEPT_MS),
  );
  const isOwed = earliestMs <= moment.nowMs;
  const keptMs = Math.max(lastMs - moment.nowMs, isOwed ? Math.min(stateLastsMs, WINDOW_MS_MAX) : 0);
  return [
    [
      'hset',
      key,
      ...Array.from(byToken).flatMap(([token, reservation]) => [token, reservationText(reservation)]),
    ],
    ['pexpire', key, ttl(keptMs, moment)],
  ];
}

const STAGES = { open: 'o', expired: 'x', settled: 's' } as const;

function reservationText(reservation: Reservation): string {
  const { cost, madeMs, expiresMs, state, actual, isLate, charged } = reservation;
  const names = Array.from(charged, ([name, known]) => `${name}=${scriptKeyOf(known)}`).sort();
  return [cost, madeMs, expiresMs, STAGES[state], actual, isLate ? 1 : 0, names.join(',')].join(' ');
}

/** `fixed_window:60000` as the scripts write it: `f:60000`. */
function scriptKeyOf(known: string): string {
  if (known === '') return '';
  const [algorithm, identity] = known.split(':');
  return `${Object.entries(LETTERS).find(([name]) => name === algorithm)?.[1]}:${identity}`;
}

function answerCommands(
  key: string,
  answers: readonly (readonly [string, DatedAnswer])[],
  knownSets: KnownSets,
  moment: EntryMoment,
): RedisCommand[] {
  if (answers.length === 0) return [];
  const idsKey = `${stateKey(key)}:ids`;
  const texts = answers.map(([id, answer]): RedisCommand => {
    const lastsMs = answer.keptMonotonicMs + REQUEST_ID_KEPT_MS - moment.monotonicMs;
    return [
      'set',
      `${tagOf(key)}${id}`,
      answerText(answer, knownSets.get(answer.signature)),
      'px',
      ttl(lastsMs, moment),
    ];
  });
  const ids = answers.map(([id]) => `${tagOf(key)}${id}`);
  return [...texts, ...pushes(idsKey, ids), ['pexpire', idsKey, ttl(REQUEST_ID_KEPT_MS, moment)]];
}

/** Of a rule that is known to be none, so that the check stays admitted and is told how it stands now. */
const NO_SIGNATURE = '0';

function answerText(answer: DatedAnswer, delays: readonly boolean[] | undefined): string {
  const { cost, token = '-', signature, outcome } = answer;
  const isKnown = delays?.length === outcome.limits.length;
  const numbers = outcome.limits.flatMap((limit, index) => [
    ...limitNumbers(limit),
    ...(isKnown && delays[index] === true ? [limit.delayMs] : []),
  ]);
  return [isKnown ? signature : NO_SIGNATURE, cost, token, outcome.nowMs, ...numbers].join(' ');
}

function limitNumbers({ admits, remaining, resetMs, retryAtMs, growsAtMs }: LimitOutcome): number[] {
  return [admits ? 1 : 0, remaining, resetMs, retryAtMs, growsAtMs];
}

function pushes(key: string, texts: readonly string[]): RedisCommand[] {
  const commands: RedisCommand[] = [];
  for (let first = 0; first < texts.length; first += PUSH_MAX) {
    commands.push(['rpush', key, ...texts.slice(first, first + PUSH_MAX)]);
  }
  return commands;
}

function ttl(lastsMs: number, { ttlMarginMs = 0 }: EntryMoment): string {
  return String(Math.max(1, Math.ceil(lastsMs) + ttlMarginMs));
}
