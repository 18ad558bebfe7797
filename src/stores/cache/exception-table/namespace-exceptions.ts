import { matchOfIdentifier } from '../../../policy/exceptions/match.ts';
import type { MatchForm } from '../../../policy/exceptions/rule-exception.ts';
import { isPattern, parseText } from '../../../policy/exceptions/text-match.ts';
import { IDENTIFIER_BYTES_MAX } from '../../../policy/identifier.ts';
import type { NamespaceKind } from '../../../policy/names.ts';
import { AddressBlocks } from './address-blocks.ts';
import type { EntryFields, MatchEntry } from './entry-record.ts';
import { EntryTable } from './entry-table.ts';
import type { HashKey } from './keyed-hash.ts';
import { LimitsTexts } from './limits-texts.ts';
import { PatternIndex } from './pattern-index.ts';

/** An entry with its text in place of the text's id. */
export type KeptFields = Omit<EntryFields, 'limitsId'> & { readonly limitsText: string | null };

export type KeptEntry = Omit<MatchEntry, 'fields'> & {
  readonly form: MatchForm;
  readonly fields: KeptFields;
};

/** A guess at what a namespace takes besides its parts. */
const OVERHEAD_BYTES = 400;
const FORMS = ['exact', 'cidr', 'pattern'] as const satisfies readonly MatchForm[];
/** What IPv6 addresses end with where they are identifiers that nothing is cut off. */
const WHOLE = '/128';

/** The exceptions of one namespace; the parts that it has no use for aren't there. */
export class NamespaceExceptions {
  readonly #hashKey: HashKey;
  readonly #texts = new LimitsTexts();
  #exact: EntryTable | undefined;
  #blocks: AddressBlocks | undefined;
  #patterns: PatternIndex | undefined;

  constructor(hashKey: HashKey) {
    this.#hashKey = hashKey;
  }

  get count(): number {
    return (this.#exact?.count ?? 0) + (this.#blocks?.count ?? 0) + (this.#patterns?.count ?? 0);
  }

  get bytes(): number {
    const parts = [this.#exact, this.#blocks, this.#patterns, this.#texts];
    return parts.reduce((sum, part) => sum + (part?.bytes ?? 0), OVERHEAD_BYTES);
  }

  find(kind: NamespaceKind, subject: string, nowMs: number): KeptFields | undefined {
    const text = kind === 'ip' && subject.endsWith(WHOLE) ? subject.slice(0, -WHOLE.length) : subject;
    const found =
      this.#exact?.find(KEY, keyOfText(text), nowMs) ??
      (kind === 'ip' ? this.#blocks?.find(text, nowMs) : this.#patterns?.find(text, nowMs));
    return found === undefined ? undefined : this.#kept(found);
  }

  /** A match that can't be read is not kept. */
  set(form: MatchForm, match: string, { limitsText, ...rest }: KeptFields): void {
    // A match has one form, which may be another one since the kind of its namespace changed.
    this.remove(match, rest.kind, form);
    const limitsId = this.#texts.take(limitsText);
    const before = this.count;
    const replaced = this.#setIn(form, match, { ...rest, limitsId });
    if (replaced !== undefined) this.#texts.release(replaced.limitsId);
    else if (this.count === before) this.#texts.release(limitsId);
  }

  /** Removes it from every part but one. */
  remove(match: string, kind: number, except?: MatchForm): void {
    for (const form of FORMS) {
      const removed = form === except ? undefined : this.#removeFrom(form, match, kind);
      if (removed !== undefined) this.#texts.release(removed.limitsId);
    }
  }

  /** Goes on while the table changes: what is there all the time comes once. */
  *batches(): Generator<readonly KeptEntry[], void, undefined> {
    for (const batch of this.#exact?.batches() ?? []) {
      const entries = batch.map(({ key, fields }) => ({
        match: matchOfIdentifier(DECODER.decode(key)),
        fields,
      }));
      yield this.#shown('exact', entries);
    }
    for (const entries of this.#blocks?.batches() ?? []) yield this.#shown('cidr', entries);
    yield this.#shown('pattern', this.#patterns?.entries() ?? []);
  }

  #shown(form: MatchForm, entries: readonly MatchEntry[]): KeptEntry[] {
    return entries.map(({ match, fields }) => ({ form, match, fields: this.#kept(fields) }));
  }

  #kept({ kind, createdAtMs, expiresAtMs, limitsId }: EntryFields): KeptFields {
    return { kind, createdAtMs, expiresAtMs, limitsText: this.#texts.text(limitsId) };
  }

  #setIn(form: MatchForm, match: string, fields: EntryFields): EntryFields | undefined {
    switch (form) {
      case 'exact': {
        const length = keyOfExact(match);
        if (length === 0) return undefined;
        this.#exact ??= new EntryTable(this.#hashKey);
        return this.#exact.set(KEY, length, fields);
      }
      case 'cidr':
        this.#blocks ??= new AddressBlocks(this.#hashKey);
        return this.#blocks.set(match, fields);
      case 'pattern':
        this.#patterns ??= new PatternIndex();
        return this.#patterns.set(match, fields);
    }
  }

  #removeFrom(form: MatchForm, match: string, kind: number): EntryFields | undefined {
    switch (form) {
      case 'exact':
        return this.#exact?.remove(KEY, keyOfExact(match), kind);
      case 'cidr':
        return this.#blocks?.remove(match, kind);
      case 'pattern':
        return this.#patterns?.remove(match, kind);
    }
  }
}

const ENCODER = new TextEncoder();
const DECODER = new TextDecoder('utf-8', { ignoreBOM: true });
/** Of the lookup that is going on. */
const KEY = new Uint8Array(IDENTIFIER_BYTES_MAX);

/** Makes KEY of what an exact match stands for; 0 also if it is a pattern. */
function keyOfExact(match: string): number {
  const { parts } = parseText(match);
  return isPattern(parts) ? 0 : keyOfText(parts.join(''));
}

/** Writes a text into KEY; its length there, 0 if it is longer than any identifier. */
function keyOfText(text: string): number {
  if (text.length > IDENTIFIER_BYTES_MAX) return 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code > 0x7f) {
      const { read, written } = ENCODER.encodeInto(text, KEY);
      return read === text.length ? written : 0;
    }
    KEY[at] = code;
  }
  return text.length;
}
