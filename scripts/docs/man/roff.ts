/** Pieces of manual pages, in the macros of man(7). */

import { wrapped } from '../wrapped.ts';

const LINE_LENGTH_MAX = 78;

/** Characters that roff reads as something else, or typesets as something that nobody could paste. */
const SPECIAL: Readonly<Record<string, string>> = {
  '\\': '\\e',
  '-': '\\-',
  "'": '\\(aq',
  '`': '\\(ga',
  '^': '\\(ha',
  '~': '\\(ti',
};

/** Text as it stands; a backtick in it is one. */
function literal(text: string): string {
  return text
    .replace(/[\\\-'`^~]/g, (character) => SPECIAL[character] ?? character)
    .replace(/\P{ASCII}/gu, (character) => `\\[u${codePoint(character)}]`)
    .replace(/^\./gm, '\\&.');
}

function codePoint(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
}

/** Prose, in which what stands between backticks is bold, in lines of a usual length. */
export function prose(text: string): string {
  const marked = text
    .split('`')
    .map((part, index) => (index % 2 === 0 ? literal(part) : `\\fB${literal(part)}\\fR`))
    .join('');
  return wrapped(marked.split(/\s+/), LINE_LENGTH_MAX).join('\n').replace(/^\./gm, '\\&.');
}

export function bold(text: string): string {
  return `\\fB${literal(text)}\\fR`;
}

/** A section with its paragraphs, items and blocks. */
export function section(title: string, ...parts: readonly string[]): string {
  return `.SH ${quoted(title.toUpperCase())}\n${joined(parts)}`;
}

export function subsection(title: string, ...parts: readonly string[]): string {
  return `.SS ${quoted(title)}\n${joined(parts)}`;
}

/** The first paragraph under a heading needs no macro, and must have none. */
function joined(parts: readonly string[]): string {
  return parts.join('\n').replace(/^\.PP\n/, '');
}

export function paragraph(text: string): string {
  return `.PP\n${text}`;
}

/** A term, and what it is, which may be several paragraphs; `term` is roff already. */
export function item(term: string, ...texts: readonly string[]): string {
  const [first = '', ...more] = texts.map(prose);
  return [`.TP\n${term}\n${first}`, ...more.map((text) => `.IP\n${text}`)].join('\n');
}

/** Lines as they are typed. */
export function block(lines: readonly string[]): string {
  return `.PP\n.RS 4\n.EX\n${lines.map(literal).join('\n')}\n.EE\n.RE`;
}

export interface PageHead {
  readonly name: string;
  readonly section: number;
  readonly summary: string;
}

/** A whole page. Its date is that of its form, since what it says is made from declarations that have none. */
export function manualPage(
  { name, section: number, summary }: PageHead,
  sections: readonly string[],
): string {
  return [
    '.\\" Made by npm run docs out of src/: change it there.',
    `.TH ${quoted(name.toUpperCase())} ${number} 2026-11-30 Brume "Brume manual"`,
    // Names of options and settings must not be broken.
    '.nh',
    section('Name', `${literal(name)} \\- ${literal(summary)}`),
    ...sections,
    '',
  ].join('\n');
}

function quoted(text: string): string {
  return `"${literal(text).replaceAll('"', '\\(dq')}"`;
}
