import type { CounterCheck, CounterOutcome, LimitOutcome, Settlement } from '../../limiter/counters.ts';
import type { Algorithm } from '../../limiter/limit.ts';
import { toldToken } from '../../limiter/reservations.ts';

/**
 * What became of one check: its outcome, or that its state was damaged and has been removed, or that
 * its request id was used for another cost, or that it has as many reservations as it may, or that it
 * goes by an outdated configuration.
 */
export type ScriptAnswer = CounterOutcome | 'corrupt' | 'reused' | 'reservations_full' | 'outdated';

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
  return { nowMs, answers: checks.map((check) => answerTo(check, numbers, nowMs)) };
}

function answerTo(check: CounterCheck, numbers: Reader, nowMs: number): ScriptAnswer {
  const status = numbers.next();
  if (status === CORRUPTED) return 'corrupt';
  if (status === CONFLICTING) return 'reused';
  if (status === FULL) return 'reservations_full';
  if (status === STALE) return 'outdated';
  const token = toldToken(check);
  const limits = () => check.set.limits.map(({ algorithm }) => limitOutcome(numbers, algorithm));
  if (status === REPEATED) {
    const firstToken = token === undefined ? undefined : numbers.text();
    const firstMs = numbers.next();
    return {
      admitted: true,
      isHeldBack: false,
      isRepeated: true,
      token: firstToken,
      nowMs: firstMs,
      limits: limits(),
    };
  }
  const admitted = status === ADMITTED;
  return {
    admitted,
    isHeldBack: status === HELD_BACK,
    isRepeated: false,
    token: admitted && !check.peek ? token : undefined,
    nowMs,
    limits: limits(),
  };
}

export interface ScriptReply {
  readonly nowMs: number;
  readonly answers: readonly ScriptAnswer[] | 'late' | 'misdated';
}

/** What lua/settle.lua says: how it ended, undefined if there is no such reservation. */
export function decodeSettling(reply: unknown): {
  readonly nowMs: number;
  readonly answer: Settlement | undefined | 'late' | 'misdated' | 'corrupt';
} {
  const numbers = new Reader(reply);
  const nowMs = numbers.next();
  const head = numbers.next();
  if (head === 0) return { nowMs, answer: 'late' };
  if (head === 2) return { nowMs, answer: 'misdated' };
  if (head === 3) return { nowMs, answer: 'corrupt' };
  if (numbers.isAtEnd) return { nowMs, answer: undefined };
  const [reserved, actual] = [numbers.next(), numbers.next()];
  return { nowMs, answer: { reserved, actual, isLate: numbers.next() === 1 } };
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
const [ADMITTED, CORRUPTED, REPEATED, CONFLICTING, HELD_BACK, FULL, STALE] = [1, 2, 3, 4, 5, 6, 7];

class Reader {
  readonly #reply: readonly unknown[];
  #index = 0;

  constructor(reply: unknown) {
    if (!Array.isArray(reply))
      throw new RangeError(`the check script replied with ${typeof reply}, not an array`);
    this.#reply = reply;
  }

  get isAtEnd(): boolean {
    return this.#index === this.#reply.length;
  }

  text(): string {
    return String(this.#reply[this.#index++]);
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
