/**
 * Judges the Markdown of runbooks and documentation by markdownlint, prints each fault with file and line,
 * and fails if there is one.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Configuration } from 'markdownlint';
import { lint } from 'markdownlint/promise';

const root = join(import.meta.dirname, '..');

const RUNBOOKS: Configuration = {
  default: true,
  // A paragraph is one line, or is broken where its author liked; in tables neither is possible.
  'line-length': false,
  'table-column-style': false,
  // Numbered steps go on behind the commands between them, which stand at the margin to be copied.
  'ol-prefix': false,
};

/** What is only looks there: the pages are older than this check, and some are generated. */
const DOCS: Configuration = {
  ...RUNBOOKS,
  'blanks-around-headings': false,
  'blanks-around-fences': false,
  'blanks-around-lists': false,
  'blanks-around-tables': false,
  'code-block-style': false,
  'fenced-code-language': false,
  'no-bare-urls': false,
  'no-inline-html': false,
  'no-multiple-blanks': false,
  'reference-links-images': false,
};

const faults = [...(await faultsIn('runbooks', RUNBOOKS)), ...(await faultsIn('docs', DOCS))];
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;

async function faultsIn(folder: string, config: Configuration): Promise<string[]> {
  const names = readdirSync(join(root, folder)).filter((name) => name.endsWith('.md'));
  const results = await lint({ files: names.map((name) => join(root, folder, name)), config });
  return Object.entries(results).flatMap(([file, found]) =>
    found.map(
      ({ lineNumber, ruleNames, ruleDescription, errorDetail }) =>
        `${file.slice(root.length + 1)}:${lineNumber} ${ruleNames.join('/')}: ${[ruleDescription, errorDetail ?? ''].join(' ').trim()}`,
    ),
  );
}
