import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '..', '..', 'runbooks');

/** All of the folder, also the pages that are no runbooks of alerts. */
export function runbookFiles(): { readonly file: string; readonly text: string }[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.md'))
    .map((file) => ({ file, text: readFileSync(join(folder, file), 'utf8') }));
}

interface Heading {
  readonly level: number;
  readonly title: string;
}

/** The headings of a text, without what looks like one in its code. */
export function headingsOf(text: string): Heading[] {
  return text
    .replace(/^```.*?^```$/gms, '')
    .split('\n')
    .flatMap((line) => {
      const [, signs = '', title] = /^(#+) (.+)$/.exec(line) ?? [];
      return title === undefined ? [] : [{ level: signs.length, title }];
    });
}

/** The code blocks of one language, without their fences. */
export function codeBlocks(text: string, language: string): string[] {
  return [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)].flatMap(([, found, code = '']) =>
    found === language ? [code] : [],
  );
}

/** The commands of a shell block: without comments and continued lines, and each part of a pipe or chain. */
export function shellCommands(block: string): string[] {
  return block
    .replaceAll('\\\n', ' ')
    .split('\n')
    .flatMap((line) => line.replace(/(^|\s)#.*$/, '').split(/\s*(?:&&|\|\||\||;)\s*/))
    .map((command) => command.trim().replace(/\s*\d?>>?\s*\S+$/, ''))
    .filter((command) => command !== '');
}

/** The cells of each row of its tables, without the lines between heads and bodies. */
export function tableRows(text: string): string[][] {
  return text
    .split('\n')
    .filter((line) => /^\| /.test(line))
    .map((line) => line.slice(2, -2).split(' | '));
}
