import { createHash } from 'node:crypto';
import { assetText } from '../../assets.ts';
import type { CounterCheck, CounterOutcome, LimitOutcome, LimitSet } from '../../limiter/counters.ts';
import type { Algorithm } from '../../limiter/limit.ts';

/** The parts of lua/, in the order in which they are joined into the one script. */
const PARTS = ['prelude', 'fixed-window', 'sliding-log', 'gcra', 'check'] as const;

const LETTERS: Readonly<Record<Algorithm, string>> = {
  fixed_window: 'f',
  sliding_log: 'l',
  gcra: 'g',
};

export interface Script {
  readonly text: string;
  /** Under which Redis keeps it. */
  readonly sha1: string;
}

export function loadCheckScript(): Script {
  const text = PARTS.map((part) => assetText(`lua/${part}.lua`)).join('\n');
  return { text, sha1: createHash('sha1').update(text).digest('hex') };
}

/** Keys and arguments of one call; lua/check.lua describes them. */
export interface ScriptCall {
  readonly keys: readonly string[];
  readonly args: readonly string[];
}

export function encodeCall(
  checks: readonly CounterCheck[],
  { nowMs, deadlineMs }: { readonly nowMs: number | undefined; readonly deadlineMs: number | undefined },
): ScriptCall {
  const states = new Numbered<string>();
  const sets = new Numbered<LimitSet>();
  for (const { key, set } of checks) {
    states.numberOf(stateKey(key));
    sets.numberOf(set);
  }
  const lists = new Numbered<string>(states.size);
  const args = [String(nowMs ?? ''), String(deadlineMs ?? ''), String(states.size), String(sets.size)];
  for (const set of sets) args.push(...encodedSet(set));
  args.push(String(checks.length));
  for (const { key, set, cost, peek } of checks) {
    const state = stateKey(key);
    args.push(String(sets.numberOf(set)), String(states.numberOf(state)), String(cost), peek ? '1' : '0');
    for (const { name, algorithm } of set.limits) {
      if (algorithm === 'sliding_log') args.push(String(lists.numberOf(`${state}:${name}`)));
    }
  }
  return { keys: [...states, ...lists], args };
}

/** What became of one check: its outcome, or that its state was damaged and has been removed. */
type ScriptAnswer = CounterOutcome | 'corrupt';

/**
 * @returns one answer a check, in order; 'late' if the call ran after its deadline and did nothing.
 * @throws RangeError where the reply isn't of the script's form.
 */
export function decodeReply(reply: unknown, checks: readonly CounterCheck[]): ScriptReply {
  const numbers = new Reader(reply);
  const nowMs = numbers.next();
  if (numbers.next() === 0) return { nowMs, answers: 'late' };
  const answers = checks.map(({ set }): ScriptAnswer => {
    const status = numbers.next();
    if (status === 2) return 'corrupt';
    return { admitted: status === 1, nowMs, limits: set.limits.map(() => limitOutcome(numbers)) };
  });
  return { nowMs, answers };
}

export interface ScriptReply {
  readonly nowMs: number;
  readonly answers: readonly ScriptAnswer[] | 'late';
}

function limitOutcome(numbers: Reader): LimitOutcome {
  return {
    admits: numbers.next() === 1,
    remaining: numbers.next(),
    resetMs: numbers.next(),
    retryAtMs: numbers.next(),
    growsAtMs: numbers.next(),
  };
}

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** `{p17}KEY`: the tag is one of 1,024 partitions, the first ten bits of the hashed key. */
export function stateKey(key: string): string {
  const partition = (BASE64URL.indexOf(key.charAt(0)) * 64 + BASE64URL.indexOf(key.charAt(1))) >> 2;
  return `{p${partition}}${key}`;
}

const encodedSets = new WeakMap<LimitSet, readonly string[]>();

function encodedSet(set: LimitSet): readonly string[] {
  const known = encodedSets.get(set);
  if (known !== undefined) return known;
  const encoded = [
    String(set.limits.length),
    ...set.limits.flatMap(({ name, algorithm, limit, windowMs, burst }) => [
      name,
      LETTERS[algorithm],
      String(limit),
      String(windowMs),
      String(burst),
    ]),
  ];
  encodedSets.set(set, encoded);
  return encoded;
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
