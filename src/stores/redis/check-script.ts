import { assetText } from '../../assets.ts';
import type { Edges } from '../../limiter/calendar.ts';
import type { CounterCheck, CounterOutcome, LimitOutcome, LimitSet } from '../../limiter/counters.ts';
import type { Algorithm } from '../../limiter/limit.ts';
import { signatureOf } from '../../limiter/signature.ts';
import { type Script, scriptOf } from './script-caller.ts';

/** The parts of lua/, in the order in which they are joined into the one script. */
const PARTS = [
  'prelude',
  'fixed-window',
  'sliding-window',
  'sliding-log',
  'bucket',
  'quota',
  'concurrency',
  'request',
  'request-ids',
  'state',
  'judge',
  'check',
] as const;

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

export function loadCheckScript(): Script {
  return scriptOf(PARTS.map((part) => assetText(`lua/${part}.lua`)).join('\n'));
}

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

export function encodeCall(
  checks: readonly CounterCheck[],
  { nowMs, deadlineMs, expectedMs, isAtomic = false }: CallTerms,
): ScriptCall {
  const states = new Numbered<string>();
  const sets = new Numbered<LimitSet>();
  for (const { key, set } of checks) {
    states.numberOf(stateKey(key));
    sets.numberOf(set);
  }
  const others = new Numbered<string>(states.size);
  const args = [String(nowMs ?? ''), String(deadlineMs ?? ''), String(states.size), String(sets.size)];
  for (const set of sets) args.push(...encodedSet(set, expectedMs));
  args.push(isAtomic ? '1' : '0', String(checks.length));
  for (const { key, set, cost, peek, requestKey, holder = '' } of checks) {
    const state = stateKey(key);
    args.push(String(sets.numberOf(set)), String(states.numberOf(state)), String(cost), peek ? '1' : '0');
    args.push(String(requestKey === undefined ? 0 : others.numberOf(`${tagOf(key)}${requestKey}`)));
    args.push(holder);
    for (const { name, algorithm } of set.limits) {
      if (algorithm === 'sliding_log') args.push(String(others.numberOf(`${state}:${name}`)));
      if (algorithm === 'concurrency') args.push(String(others.numberOf(leasesKey(key))));
    }
  }
  return { keys: [...states, ...others], args };
}

/**
 * What became of one check: its outcome, or that its state was damaged and has been removed, or that
 * its request id was used for another cost.
 */
export type ScriptAnswer = CounterOutcome | 'corrupt' | 'reused';

/**
 * @returns one answer a check, in order; 'late' if the call ran after its deadline, and 'misdated' if a
 * quota came without the period that holds the store's time: both did nothing.
 * @throws RangeError where the reply isn't of the script's form.
 */
export function decodeReply(reply: unknown, checks: readonly CounterCheck[]): ScriptReply {
  const numbers = new Reader(reply);
  const nowMs = numbers.next();
  const head = numbers.next();
  if (head === 0) return { nowMs, answers: 'late' };
  if (head === 2) return { nowMs, answers: 'misdated' };
  const answers = checks.map(({ set }): ScriptAnswer => {
    const status = numbers.next();
    if (status === CORRUPTED) return 'corrupt';
    if (status === CONFLICTING) return 'reused';
    return {
      admitted: status === ADMITTED || status === REPEATED,
      isHeldBack: status === HELD_BACK,
      isRepeated: status === REPEATED,
      nowMs: status === REPEATED ? numbers.next() : nowMs,
      limits: set.limits.map(({ algorithm }) => limitOutcome(numbers, algorithm)),
    };
  });
  return { nowMs, answers };
}

export interface ScriptReply {
  readonly nowMs: number;
  readonly answers: readonly ScriptAnswer[] | 'late' | 'misdated';
}

function limitOutcome(numbers: Reader, algorithm: Algorithm): LimitOutcome {
  return {
    admits: numbers.next() === 1,
    remaining: numbers.next(),
    resetMs: numbers.next(),
    retryAtMs: numbers.next(),
    growsAtMs: numbers.next(),
    delayMs: algorithm === 'leaky_bucket' ? numbers.next() : 0,
  };
}

/** The statuses of lua/judge.lua that are told apart here; 0 is denied. */
const [ADMITTED, CORRUPTED, REPEATED, CONFLICTING, HELD_BACK] = [1, 2, 3, 4, 5];

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** `{p17}KEY`, under one of 1,024 partition tags. */
export function stateKey(key: string): string {
  return `${tagOf(key)}${key}`;
}

/** Where the leases of an identifier stand. */
export function leasesKey(key: string): string {
  return `${stateKey(key)}:leases`;
}

/** The first ten bits of the hashed key. */
function tagOf(key: string): string {
  const partition = (BASE64URL.indexOf(key.charAt(0)) * 64 + BASE64URL.indexOf(key.charAt(1))) >> 2;
  return `{p${partition}}`;
}

interface EncodedSet {
  readonly args: readonly string[];
  /** The periods of its quotas that it was made for. */
  readonly edges: readonly Edges[];
}

const encodedSets = new WeakMap<LimitSet, EncodedSet>();

/** Made once a rule, and again when a period ends. */
function encodedSet(set: LimitSet, expectedMs: number): readonly string[] {
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
class Numbered<Item> {
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

class Reader {
  readonly #reply: readonly unknown[];
  #index = 0;

  constructor(reply: unknown) {
    if (!Array.isArray(reply))
      throw new RangeError(`the check script replied with ${typeof reply}, not an array`);
    this.#reply = reply;
  }

  next(): number {
    const value = this.#reply[this.#index++];
    const number = typeof value === 'string' ? Number(value) : value;
    if (typeof number !== 'number' || !Number.isSafeInteger(number)) {
      throw new RangeError(`entry ${this.#index - 1} of the check script's reply is not an integer`);
    }
    return number;
  }
}
