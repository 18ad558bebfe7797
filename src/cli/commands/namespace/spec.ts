import { DURATION_EXPECTED, parseDurationMs } from '../../duration.ts';
import { UsageError } from '../../usage-error.ts';

/** A limit or quota in one word of the command line: `name=hourly,limit=1000,window=1h`. */
export class Spec {
  readonly #option: string;
  readonly #text: string;
  readonly #members = new Map<string, string>();

  /** Throws UsageError, naming the option, for what is not `member=value`, unknown, empty or there twice. */
  constructor(option: string, text: string, known: readonly string[], parts = text.split(',')) {
    this.#option = option;
    this.#text = text;
    for (const part of parts) {
      const [member = '', value] = part.split(/=(.*)/s);
      if (!known.includes(member)) throw this.fault(`"${member}" is not one of ${known.join(', ')}`);
      if (value === undefined || value === '') throw this.fault(`${member} has no value`);
      if (this.#members.has(member)) throw this.fault(`${member} is there twice`);
      this.#members.set(member, value);
    }
  }

  get(member: string): string | undefined {
    return this.#members.get(member);
  }

  required(member: string): string {
    const value = this.#members.get(member);
    if (value === undefined) throw this.fault(`${member} is missing`);
    return value;
  }

  /** Undefined if the member is not there. */
  wholeNumber(member: string): number | undefined {
    const text = this.#members.get(member);
    return text === undefined ? undefined : this.#number(member, text);
  }

  requiredNumber(member: string): number {
    return this.#number(member, this.required(member));
  }

  /** Undefined if the member is not there. */
  durationMs(member: string): number | undefined {
    const text = this.#members.get(member);
    const durationMs = text === undefined ? undefined : parseDurationMs(text);
    if (text === undefined || durationMs !== undefined) return durationMs;
    throw this.fault(`${member} is not a duration. ${DURATION_EXPECTED}`);
  }

  fault(what: string): UsageError {
    return new UsageError(`${this.#option} ${JSON.stringify(this.#text)}: ${what}`);
  }

  #number(member: string, text: string): number {
    const number = Number(text);
    if (/^(0|[1-9][0-9]*)$/.test(text) && Number.isSafeInteger(number)) return number;
    throw this.fault(`${member} is not a whole number from 0 to ${Number.MAX_SAFE_INTEGER}`);
  }
}

/** Without the members that are not there. */
export function present<Members extends object>(members: Members): Present<Members> {
  const there = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(there) as Present<Members>;
}

type Present<Members> = { [Member in keyof Members]?: Exclude<Members[Member], undefined> };
