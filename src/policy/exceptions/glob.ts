import { parseText } from './text-match.ts';

/** A pattern, ready to be matched. */
export interface Glob {
  /** Every text that matches begins and ends so. */
  readonly prefix: string;
  readonly suffix: string;
  /** What they have in between, in this order. */
  readonly middle: readonly string[];
  /** Code points that are not stars: what makes one pattern more specific than another. */
  readonly literalCharacters: number;
  matches(text: string): boolean;
}

/**
 * A match of form `pattern` as something that matches in time linear in the text. Each part between
 * stars is looked for once, behind the one before it: the leftmost place always leaves the most for
 * those that follow, so nothing is ever tried again.
 */
export function globOf(pattern: string): Glob {
  const { parts } = parseText(pattern);
  const [prefix = ''] = parts;
  const suffix = parts.length > 1 ? (parts.at(-1) ?? '') : '';
  const middle = parts.slice(1, -1);
  const needles = middle.map((part) => new Needle(part));
  const shortest = parts.reduce((sum, part) => sum + part.length, 0);
  return {
    prefix,
    suffix,
    middle,
    literalCharacters: parts.reduce((sum, part) => sum + [...part].length, 0),
    matches(text) {
      if (text.length < shortest || !text.startsWith(prefix) || !text.endsWith(suffix)) return false;
      if (parts.length === 1) return text === prefix;
      const end = text.length - suffix.length;
      let from = prefix.length;
      for (const needle of needles) {
        from = needle.endIn(text, from, end);
        if (from === -1) return false;
      }
      return true;
    },
  };
}

/** Knuth, Morris and Pratt's search (1977): String.indexOf is quadratic at its worst. */
class Needle {
  readonly #text: string;
  /** How much of the needle's beginning is also the end of its first i + 1 characters. */
  readonly #borders: Uint16Array;

  constructor(text: string) {
    this.#text = text;
    this.#borders = new Uint16Array(text.length);
    for (let at = 1, border = 0; at < text.length; at++) {
      while (border > 0 && text.charCodeAt(at) !== text.charCodeAt(border))
        border = this.#borders[border - 1] ?? 0;
      if (text.charCodeAt(at) === text.charCodeAt(border)) border++;
      this.#borders[at] = border;
    }
  }

  /** Where its first occurrence from `from` on ends, at most at `end`; -1 if there is none. */
  endIn(text: string, from: number, end: number): number {
    const needle = this.#text;
    let matched = 0;
    for (let at = from; at < end; at++) {
      const code = text.charCodeAt(at);
      while (matched > 0 && code !== needle.charCodeAt(matched)) matched = this.#borders[matched - 1] ?? 0;
      if (code === needle.charCodeAt(matched)) matched++;
      if (matched === needle.length) return at + 1;
    }
    return -1;
  }
}
