import { printable } from '../../printable.ts';
import type { ImportFailure, ImportResult } from './import-portions.ts';

/** What was imported, and where to go on if not all of it was. */
export function importText({ added, replaced, failure }: ImportResult, what: string, file: string): string {
  const done = `Imported ${added + replaced} ${what}: ${added} new, ${replaced} in the place of others.`;
  if (failure === null) return printable(done);
  return [`${at(failure, file)}: ${failure.message}`, done, next(failure)].map(printable).join('\n');
}

function at({ line, fromLine, toLine }: ImportFailure, file: string): string {
  return line === null ? `${file}, lines ${fromLine} to ${toLine}` : `${file}:${line}`;
}

function next({ fromLine, toLine, isUnknown }: ImportFailure): string {
  return isUnknown
    ? `Whether lines ${fromLine} to ${toLine} were imported is not known. Go on with: --from-line ${fromLine} --replace`
    : `Nothing of lines ${fromLine} to ${toLine} was imported. Correct the line and go on with: --from-line ${fromLine}`;
}
