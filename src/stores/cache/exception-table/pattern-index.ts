import { type Glob, globOf } from '../../../policy/exceptions/glob.ts';
import { EXCEPTION_KINDS } from '../../../policy/exceptions/rule-exception.ts';
import { AffixBuckets } from './affix-buckets.ts';
import type { EntryFields, MatchEntry } from './entry-record.ts';
import { GramBuckets } from './gram-buckets.ts';

interface Pattern {
  readonly match: string;
  readonly glob: Glob;
  /** By kind. */
  readonly entries: (EntryFields | undefined)[];
}

/** A guess: a pattern, its Glob and its place in the index. */
const PATTERN_BYTES = 900;

/**
 * Patterns with stars, by what they begin or end with, or have in between, so that a lookup tries few
 * of them.
 */
export class PatternIndex {
  readonly #patterns = new Map<string, Pattern>();
  readonly #byPrefix = new AffixBuckets<Pattern>((text, length) => text.slice(0, length));
  readonly #bySuffix = new AffixBuckets<Pattern>((text, length) => text.slice(text.length - length));
  readonly #byMiddle = new GramBuckets<Pattern>();
  /** Those without a literal character. */
  readonly #anything = new Set<Pattern>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  get bytes(): number {
    return this.#patterns.size * PATTERN_BYTES;
  }

  /** The most specific one that is in force; among equals by kind, then the oldest. */
  find(text: string, nowMs: number): EntryFields | undefined {
    const search = new Search(text, nowMs);
    for (const patterns of this.#byPrefix.candidates(text)) search.considerAll(patterns);
    for (const patterns of this.#bySuffix.candidates(text)) search.considerAll(patterns);
    for (const patterns of this.#byMiddle.candidates(text)) search.considerAll(patterns);
    search.considerAll(this.#anything);
    return search.best;
  }

  /** What it replaced. */
  set(match: string, fields: EntryFields): EntryFields | undefined {
    const pattern = this.#patterns.get(match) ?? this.#add(match);
    const replaced = pattern.entries[fields.kind];
    pattern.entries[fields.kind] = fields;
    if (replaced === undefined) this.#count++;
    return replaced;
  }

  /** What was removed. */
  remove(match: string, kind: number): EntryFields | undefined {
    const pattern = this.#patterns.get(match);
    const removed = pattern?.entries[kind];
    if (pattern === undefined || removed === undefined) return undefined;
    pattern.entries[kind] = undefined;
    this.#count--;
    if (pattern.entries.every((entry) => entry === undefined)) this.#drop(pattern);
    return removed;
  }

  /** All at once. */
  entries(): MatchEntry[] {
    return [...this.#patterns.values()].flatMap(({ match, entries }) =>
      entries.flatMap((fields) => (fields === undefined ? [] : [{ match, fields }])),
    );
  }

  #add(match: string): Pattern {
    const glob = globOf(match);
    const pattern: Pattern = { match, glob, entries: EXCEPTION_KINDS.map(() => undefined) };
    this.#patterns.set(match, pattern);
    if (glob.literalCharacters === 0) this.#anything.add(pattern);
    else if (glob.prefix === '' && glob.suffix === '') this.#byMiddle.add(glob.middle, pattern);
    else if (glob.prefix.length >= glob.suffix.length) this.#byPrefix.add(glob.prefix, pattern);
    else this.#bySuffix.add(glob.suffix, pattern);
    return pattern;
  }

  #drop(pattern: Pattern): void {
    const { match, glob } = pattern;
    this.#patterns.delete(match);
    this.#byMiddle.remove(pattern);
    this.#anything.delete(pattern);
    this.#byPrefix.remove(glob.prefix, pattern);
    this.#bySuffix.remove(glob.suffix, pattern);
  }
}

/** The best of the candidates so far. */
class Search {
  readonly #text: string;
  readonly #nowMs: number;
  #pattern: Pattern | undefined;
  best: EntryFields | undefined;

  constructor(text: string, nowMs: number) {
    this.#text = text;
    this.#nowMs = nowMs;
  }

  considerAll(patterns: Iterable<Pattern>): void {
    for (const pattern of patterns) this.#consider(pattern);
  }

  #consider(pattern: Pattern): void {
    const { glob } = pattern;
    if (this.#pattern !== undefined && glob.literalCharacters < this.#pattern.glob.literalCharacters) return;
    const entry = pattern.entries.find((each) => each !== undefined && this.#isInForce(each));
    if (entry === undefined || !this.#isBetter(pattern, entry) || !glob.matches(this.#text)) return;
    this.#pattern = pattern;
    this.best = entry;
  }

  #isInForce({ expiresAtMs }: EntryFields): boolean {
    return expiresAtMs === null || this.#nowMs < expiresAtMs;
  }

  #isBetter(pattern: Pattern, entry: EntryFields): boolean {
    if (this.#pattern === undefined || this.best === undefined) return true;
    const more = pattern.glob.literalCharacters - this.#pattern.glob.literalCharacters;
    if (more !== 0) return more > 0;
    if (entry.kind !== this.best.kind) return entry.kind < this.best.kind;
    if (entry.createdAtMs !== this.best.createdAtMs) return entry.createdAtMs < this.best.createdAtMs;
    return pattern.match < this.#pattern.match;
  }
}
