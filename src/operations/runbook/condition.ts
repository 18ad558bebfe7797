import { CHECKS, type CheckName } from '../doctor/finding.ts';
import { UNIT_STATES, type UnitState } from '../installed/unit-states.ts';

/** Of a metric those series whose labels are these, and whose others are as a pattern says, from end to end. */
export interface Selector {
  readonly metric: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly patterns: Readonly<Record<string, string>>;
}

/** A number: of a metric the sum of its series, or the least or most of them, or what it grows by in a second. */
export type Term =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'time' }
  | { readonly kind: 'sum' | 'min' | 'max' | 'rate'; readonly of: Selector }
  | { readonly kind: 'arithmetic'; readonly sign: Sign; readonly left: Term; readonly right: Term };

type Sign = '+' | '-' | '*' | '/';
export type Comparison = '==' | '!=' | '<' | '<=' | '>' | '>=';

export interface Compared {
  readonly kind: 'compared';
  readonly left: Term;
  readonly by: Comparison;
  readonly right: Term;
}

/** What can be true of a node, or not. */
export type Atom =
  | Compared
  /** So it is for each value of these labels, of the series that have it. */
  | { readonly kind: 'each'; readonly labels: readonly string[]; readonly of: Compared }
  /** The node answers on its admin socket; `silent`: it doesn't, although somebody listens there. */
  | { readonly kind: 'answers'; readonly wanted: 'yes' | 'no' | 'silent' }
  /** systemd says so of `brume.service`, or of the processes that it switches. */
  | { readonly kind: 'unit'; readonly of: 'service' | 'process'; readonly state: UnitState }
  /** A check of `brume doctor` says so. */
  | { readonly kind: 'doctor'; readonly check: CheckName; readonly state: 'failure' | 'warning' | 'ok' };

/** All of them have to be true. */
export type Condition = readonly Atom[];

/** The text is no condition. */
export class ConditionError extends Error {
  override readonly name = 'ConditionError';
}

const TOKEN = /\s*(?:([a-zA-Z_]\w*)|(\d+(?:\.\d+)?)|"([^"]*)"|(==|!=|<=|>=|=~|[-+*/<>(){},=:]))/y;

/**
 * Reads a condition of a runbook: comparisons joined by `and`, in the words of PromQL as far as they go:
 * `brume_redis_connected == 0 and rate(brume_redis_faults_total{kind="oom"}) > 0`,
 * `doctor(stores) == failure`, `answers == no`, `process == active`, `each(listener: brume_connections_open < 100)`.
 * Throws ConditionError.
 */
export function parseCondition(text: string): Condition {
  const reader = new Reader(text);
  const atoms = [reader.atom()];
  while (reader.takes('and')) atoms.push(reader.atom());
  reader.end();
  return atoms;
}

class Reader {
  readonly #text: string;
  readonly #tokens: string[] = [];
  #next = 0;

  constructor(text: string) {
    this.#text = text;
    TOKEN.lastIndex = 0;
    while (TOKEN.lastIndex < text.trimEnd().length) {
      const from = TOKEN.lastIndex;
      const [, word, number, quoted, sign] = TOKEN.exec(text) ?? this.#fail(`"${text.slice(from)}"`);
      this.#tokens.push(word ?? number ?? sign ?? `"${quoted}`);
    }
  }

  atom(): Atom {
    if (this.takes('answers')) {
      this.#expect('==');
      return { kind: 'answers', wanted: this.#oneOf(['yes', 'no', 'silent']) };
    }
    for (const unit of ['service', 'process'] as const) {
      if (!this.takes(unit)) continue;
      this.#expect('==');
      return { kind: 'unit', of: unit, state: this.#oneOf(UNIT_STATES) };
    }
    if (this.takes('doctor')) {
      const check = this.#inParentheses(() => this.#check());
      this.#expect('==');
      return { kind: 'doctor', check, state: this.#oneOf(['failure', 'warning', 'ok']) };
    }
    if (this.takes('each')) return this.#inParentheses(() => this.#each());
    return this.#compared();
  }

  #each(): Atom {
    const labels: string[] = [];
    do labels.push(this.#take());
    while (this.takes(','));
    this.#expect(':');
    return { kind: 'each', labels, of: this.#compared() };
  }

  #compared(): Compared {
    const left = this.#sum();
    const by = this.#oneOf(['==', '!=', '<', '<=', '>', '>=']);
    return { kind: 'compared', left, by, right: this.#sum() };
  }

  end(): void {
    if (this.#next < this.#tokens.length) this.#fail(`"${this.#tokens[this.#next]}"`);
  }

  takes(token: string): boolean {
    if (this.#tokens[this.#next] !== token) return false;
    this.#next++;
    return true;
  }

  #sum(): Term {
    let left = this.#product();
    for (;;) {
      const sign = this.#sign(['+', '-']);
      if (sign === undefined) return left;
      left = { kind: 'arithmetic', sign, left, right: this.#product() };
    }
  }

  #product(): Term {
    let left = this.#value();
    for (;;) {
      const sign = this.#sign(['*', '/']);
      if (sign === undefined) return left;
      left = { kind: 'arithmetic', sign, left, right: this.#value() };
    }
  }

  #value(): Term {
    const token = this.#take();
    if (/^\d/.test(token)) return { kind: 'number', value: Number(token) };
    if (token === 'time') {
      this.#expect('(');
      this.#expect(')');
      return { kind: 'time' };
    }
    if (token === 'rate' || token === 'min' || token === 'max') {
      return { kind: token, of: this.#inParentheses(() => this.#selector(this.#take())) };
    }
    return { kind: 'sum', of: this.#selector(token) };
  }

  #selector(metric: string): Selector {
    if (!/^[a-zA-Z_]/.test(metric)) this.#fail(`"${metric}"`);
    const labels: Record<string, string> = {};
    const patterns: Record<string, string> = {};
    if (!this.takes('{')) return { metric, labels, patterns };
    do {
      const label = this.#take();
      const by = this.#oneOf(['=', '=~']);
      const value = this.#take();
      if (!value.startsWith('"')) this.#fail(`"${value}"`);
      (by === '=' ? labels : patterns)[label] = value.slice(1);
    } while (this.takes(','));
    this.#expect('}');
    return { metric, labels, patterns };
  }

  /** `redis-policy` is three tokens. */
  #check(): CheckName {
    let name = this.#take();
    while (this.takes('-')) name += `-${this.#take()}`;
    return CHECKS.find((check) => check === name) ?? this.#fail(`the check "${name}"`);
  }

  #inParentheses<T>(read: () => T): T {
    this.#expect('(');
    const inside = read();
    this.#expect(')');
    return inside;
  }

  #sign(signs: readonly Sign[]): Sign | undefined {
    return signs.find((sign) => this.takes(sign));
  }

  #oneOf<const Word extends string>(words: readonly Word[]): Word {
    const token = this.#take();
    return words.find((word) => word === token) ?? this.#fail(`"${token}", expected ${words.join(', ')}`);
  }

  #expect(token: string): void {
    if (!this.takes(token)) this.#fail(`"${this.#tokens[this.#next] ?? ''}", expected ${token}`);
  }

  #take(): string {
    return this.#tokens[this.#next++] ?? this.#fail('the end');
  }

  #fail(what: string): never {
    throw new ConditionError(`${what} can't be read in the condition: ${this.#text}`);
  }
}
