import type { Steps } from '../../policy/rules/steps.ts';
import { memberAt } from '../../policy/schema-fault.ts';

const DEPTH_MAX = 64;
/** Deeper, what there is is small, and read at once. */
const STEPS_DEPTH_MAX = 4;

const BLANKS = /[ \t\n\r]*/y;
const PLAIN_TEXT = /"[^"\\\p{Cc}]*"/uy;
const TEXT = /"(?:[^"\\]+|\\.)*"/y;
const NUMBER_OR_WORD = /[-+.0-9A-Za-z]+/y;
/** V8 makes a longer part of a text a view of it: the whole body would stay in memory for a name. */
const COPIED_LENGTH_MAX = 12;
/** They would reach the prototype of what is read into. */
const FORBIDDEN = ['__proto__', 'constructor'];

/**
 * As JSON.parse, in steps. Throws SyntaxError for what JSON.parse refuses, and besides for what is nested
 * too deep; ForbiddenMember for a name that could reach a prototype, RepeatedMember for one that an object
 * has twice.
 */
export function* parsingJson(text: string): Steps<unknown> {
  const reader = new JsonReader(text);
  const value = yield* reader.reading(0);
  reader.end();
  return value;
}

/** What is wrong with the name of a member, which is as `field` names it: `rule.limits[1].burst`. */
class MemberFault extends SyntaxError {
  readonly member: string;
  readonly fault: string;

  constructor(member: string, fault: string) {
    super(`${member} ${fault}`);
    this.member = member;
    this.fault = fault;
  }
}

export class RepeatedMember extends MemberFault {
  constructor(member: string) {
    super(member, 'is there twice');
  }
}

export class ForbiddenMember extends MemberFault {
  constructor(member: string) {
    super(member, 'is a name that is not taken here');
  }
}

class JsonReader {
  readonly #text: string;
  #at = 0;
  /** By depth: the member or the place in a list that is being read. */
  readonly #path: (string | number)[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  /** A value, with a step for each that it contains. */
  *reading(depth: number): Steps<unknown> {
    const next = this.#next();
    if (depth > STEPS_DEPTH_MAX || (next !== '{' && next !== '[')) return this.#value(depth);
    this.#at += 1;
    const isObject = next === '{';
    const object: Record<string, unknown> = {};
    const list: unknown[] = [];
    const close = isObject ? '}' : ']';
    for (let isFirst = true; !this.#isClosed(close, isFirst); isFirst = false) {
      yield;
      if (isObject) {
        const name = this.#newName(object, depth);
        object[name] = yield* this.reading(depth + 1);
      } else {
        this.#path[depth] = list.length;
        list.push(yield* this.reading(depth + 1));
      }
    }
    return isObject ? object : list;
  }

  end(): void {
    if (this.#next() !== undefined) throw this.#fault();
  }

  #value(depth: number): unknown {
    if (depth > DEPTH_MAX) throw this.#fault();
    switch (this.#next()) {
      case '{':
        return this.#object(depth);
      case '[':
        return this.#list(depth);
      case '"':
        return this.#textValue();
      default:
        return JSON.parse(this.#token(NUMBER_OR_WORD));
    }
  }

  #object(depth: number): Record<string, unknown> {
    const object: Record<string, unknown> = {};
    this.#at += 1;
    for (let isFirst = true; !this.#isClosed('}', isFirst); isFirst = false) {
      const name = this.#newName(object, depth);
      object[name] = this.#value(depth + 1);
    }
    return object;
  }

  #list(depth: number): unknown[] {
    const list: unknown[] = [];
    this.#at += 1;
    for (let isFirst = true; !this.#isClosed(']', isFirst); isFirst = false) {
      this.#path[depth] = list.length;
      list.push(this.#value(depth + 1));
    }
    return list;
  }

  /** Passes over the end of an object or a list, or over the comma before its next member. */
  #isClosed(close: string, isFirst: boolean): boolean {
    const next = this.#next();
    if (next === close) {
      this.#at += 1;
      return true;
    }
    if (isFirst) return false;
    if (next !== ',') throw this.#fault();
    this.#at += 1;
    if (this.#next() === close) throw this.#fault();
    return false;
  }

  /** Of two values under one name any reader takes another one. */
  #newName(object: object, depth: number): string {
    const name = this.#name(depth);
    if (Object.hasOwn(object, name)) throw new RepeatedMember(this.#member(depth));
    return name;
  }

  #name(depth: number): string {
    if (this.#next() !== '"') throw this.#fault();
    const name = this.#textValue();
    this.#path[depth] = name;
    if (FORBIDDEN.includes(name)) throw new ForbiddenMember(this.#member(depth));
    if (this.#next() !== ':') throw this.#fault();
    this.#at += 1;
    return name;
  }

  #textValue(): string {
    PLAIN_TEXT.lastIndex = this.#at;
    if (!PLAIN_TEXT.test(this.#text)) return JSON.parse(this.#token(TEXT));
    const token = this.#text.slice(this.#at, PLAIN_TEXT.lastIndex);
    this.#at = PLAIN_TEXT.lastIndex;
    return token.length <= COPIED_LENGTH_MAX ? token.slice(1, -1) : JSON.parse(token);
  }

  #token(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    if (!pattern.test(this.#text)) throw this.#fault();
    const token = this.#text.slice(this.#at, pattern.lastIndex);
    this.#at = pattern.lastIndex;
    return token;
  }

  /** The next character that is no blank; undefined at the end. */
  #next(): string | undefined {
    BLANKS.lastIndex = this.#at;
    BLANKS.test(this.#text);
    this.#at = BLANKS.lastIndex;
    return this.#text[this.#at];
  }

  #member(depth: number): string {
    return memberAt('', this.#path.slice(0, depth + 1));
  }

  #fault(): SyntaxError {
    return new SyntaxError(`not JSON at ${this.#at}`);
  }
}
