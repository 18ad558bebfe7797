import type { Edges } from '../../limiter/calendar.ts';
import type { CounterCheck, LimitSet, Settling } from '../../limiter/counters.ts';
import type { Algorithm } from '../../limiter/limit.ts';
import { signatureOf } from '../../limiter/signature.ts';
import { leasesKey, stateKey, tagOf } from './script-keys.ts';

/** By which a limit's algorithm is known in lua/ and in stored records. */
export const LETTERS: Readonly<Record<Algorithm, string>> = {
  fixed_window: 'f',
  sliding_window: 'w',
  sliding_log: 'l',
  token_bucket: 't',
  leaky_bucket: 'k',
  gcra: 'g',
  quota: 'q',
  concurrency: 'c',
};

/** Keys and arguments of one call; lua/check.lua describes them. */
export interface ScriptCall {
  readonly keys: readonly string[];
  readonly args: readonly string[];
}

export interface CallTerms {
  /** Tests only: what the script is to take for now. */
  readonly nowMs?: number;
  /** Store time after which the script does nothing; none where absent. */
  readonly deadlineMs?: number;
  /** What the store's time will be, by this node's estimate: for the periods of quotas. */
  readonly expectedMs: number;
  /** All checks or none. */
  readonly isAtomic?: boolean;
}

/** Keys and arguments of lua/settle.lua. */
export function encodeSettling(
  { key, set, token, cost, requestKey }: SettledRequest,
  { nowMs, deadlineMs, expectedMs }: CallTerms,
): ScriptCall {
  const head = [String(nowMs ?? ''), String(deadlineMs ?? ''), '1', '1'];
  const answers = requestKey === undefined ? [] : [`${tagOf(key)}${requestKey}`];
  return {
    keys: [stateKey(key), ...ownKeys(key, set), ...answers],
    args: [...head, ...encodedSet(set, expectedMs), token, String(cost), String(answers.length)],
  };
}

export interface SettledRequest extends Settling {
  /** With which it was reserved, to be forgotten if the cost is 0. */
  readonly requestKey?: string | undefined;
}

/** The keys of those limits that have one of their own, in the order of the limits. */
export function ownKeys(key: string, set: LimitSet): string[] {
  return set.limits.flatMap(({ name, algorithm }) => {
    if (algorithm === 'sliding_log') return [`${stateKey(key)}:${name}`];
    return algorithm === 'concurrency' ? [leasesKey(key)] : [];
  });
}

/** Keys and arguments of lua/check.lua. */
export function encodeCall(
  checks: readonly CounterCheck[],
  { nowMs, deadlineMs, expectedMs, isAtomic = false }: CallTerms,
): ScriptCall {
  const states = new Numbered<string>();
  const sets = new Numbered<LimitSet>();
  for (const { key, set, ruling } of checks) {
    states.numberOf(stateKey(key));
    if (ruling === undefined) sets.numberOf(set);
  }
  const others = new Numbered<string>(states.size);
  const args = [String(nowMs ?? ''), String(deadlineMs ?? ''), String(states.size), String(sets.size)];
  for (const set of sets) args.push(...encodedSet(set, expectedMs));
  args.push(String(oldestRevision(checks)), isAtomic ? '1' : '0', String(checks.length));
  for (const { key, set, cost, peek, requestKey, holder, reservation, ruling } of checks) {
    const state = stateKey(key);
    const setNumber = ruling === undefined ? sets.numberOf(set) : RULINGS[ruling];
    args.push(String(setNumber), String(states.numberOf(state)), String(cost), peek ? '1' : '0');
    args.push(String(requestKey === undefined ? 0 : others.numberOf(`${tagOf(key)}${requestKey}`)));
    args.push(holder === undefined ? (reservation === undefined ? '' : `r${reservation}`) : `l${holder}`);
    for (const own of ownKeys(key, set)) args.push(String(others.numberOf(own)));
  }
  return { keys: [...states, ...others], args };
}

/** What stands for the number of a set. */
const RULINGS = { exempt: 0, blocked: -1 } as const;

/** One for all of a call: a check that goes by a newer one may be asked again without need, and no harm. */
function oldestRevision(checks: readonly CounterCheck[]): number {
  return checks.reduce(
    (oldest, { revision }) => Math.min(oldest, revision ?? oldest),
    Number.MAX_SAFE_INTEGER,
  );
}

interface EncodedSet {
  readonly args: readonly string[];
  /** The periods of its quotas that it was made for. */
  readonly edges: readonly Edges[];
}

const encodedSets = new WeakMap<LimitSet, EncodedSet>();

/** Made once a rule, and again when a period ends. */
export function encodedSet(set: LimitSet, expectedMs: number): readonly string[] {
  const known = encodedSets.get(set);
  if (known?.edges.every(({ startMs, endMs }) => startMs <= expectedMs && expectedMs < endMs))
    return known.args;
  const edges: Edges[] = [];
  const args = [signatureOf(set), String(set.limits.length)];
  for (const limit of set.limits) {
    const { name, algorithm, mode, identity } = limit;
    args.push(name, LETTERS[algorithm], mode === 'shadow' ? '1' : '0', String(limit.limit), String(identity));
    if (limit.algorithm === 'quota') {
      const period = limit.calendar.edgesAt(expectedMs);
      edges.push(period);
      args.push('0', ...[period.previousMs, period.startMs, period.endMs, period.afterMs].map(String));
    } else if (limit.algorithm === 'concurrency') args.push(String(limit.ttlMs));
    else args.push(String(limit.burst));
  }
  encodedSets.set(set, { args, edges });
  return args;
}

/** Gives each distinct item a number, from 1 as Lua counts, in the order of first sight. */
export class Numbered<Item> {
  readonly #numbers = new Map<Item, number>();
  readonly #before: number;

  constructor(before = 0) {
    this.#before = before;
  }

  get size(): number {
    return this.#numbers.size;
  }

  numberOf(item: Item): number {
    const known = this.#numbers.get(item);
    if (known !== undefined) return known;
    const number = this.#before + this.#numbers.size + 1;
    this.#numbers.set(item, number);
    return number;
  }

  [Symbol.iterator](): Iterator<Item> {
    return this.#numbers.keys();
  }
}
