/**
 * Characters that could steer a terminal or hide what stands there: controls (C0, DEL, C1), line
 * and paragraph separators, bidirectional overrides, and halves of surrogate pairs.
 */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\p{Cs}]/gu;

/** One line of text, safe to show: what could do harm is written as its code point, `\u{1b}`. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/** As `printable`, but line ends and tabs stay: what is printed may be a file, of which each byte counts. */
export function printableLines(text: string): string {
  return text.replace(/[^\n\t]+/gu, printable);
}

/** JSON over several lines; what JSON leaves raw and a terminal could obey is escaped as JSON can. */
export function printableJson(value: unknown): string {
  const lines = JSON.stringify(value, null, 2).split('\n');
  return lines.map((line) => line.replace(UNPRINTABLE, jsonEscape)).join('\n');
}

/** The same in one line. */
export function printableJsonLine(value: unknown): string {
  return JSON.stringify(value).replace(UNPRINTABLE, jsonEscape);
}

function jsonEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
