import { parseDurationMs } from '../../duration.ts';
import { UsageError } from '../../usage-error.ts';

/** One line of a file to import. */
export interface ImportLine {
  /** Counted from 1. */
  readonly line: number;
  readonly match: string;
  readonly until: string | undefined;
  readonly reason: string | undefined;
}

/** A file of more is to be split: all of it is read before anything is sent. */
export const IMPORT_BYTES_MAX = 128 * 1024 * 1024;
const IMPORT_LINES_MAX = 1_000_000;

const HEADINGS = ['match', 'until', 'reason'];
const FIELD = /"((?:[^"]|"")*)"(?=,|$)|([^",][^,]*|)(?=,|$)/y;

/**
 * `match[,until][,reason]`, one a line, quoted as in CSV (RFC 4180) where a comma or a quote belongs
 * to it. Empty lines, lines that begin with # and a line of headings are passed over. `until` is a time
 * or a duration from `nowMs`. Throws UsageError that names the line.
 */
export function* importLines(text: string, file: string, nowMs: number): Generator<ImportLine> {
  let line = 0;
  for (const ended of linesOf(withoutMark(text))) {
    line += 1;
    if (line > IMPORT_LINES_MAX) {
      throw fault(
        file,
        line,
        `is one line too many: import it in files of ${IMPORT_LINES_MAX} lines at most`,
      );
    }
    const content = ended.replace(/\r$/, '');
    if (content.trim() === '' || content.startsWith('#')) continue;
    const fields = fieldsOf(content);
    if (fields === undefined)
      throw fault(file, line, 'a quote is not closed, or not at the end of its field');
    if (fields.length > HEADINGS.length)
      throw fault(file, line, 'has more than match,until,reason; put a reason with commas in "quotes"');
    if (line === 1 && fields.every((field, index) => field === HEADINGS[index])) continue;
    const [match = '', until = '', reason = ''] = fields;
    if (match === '') throw fault(file, line, 'has no match');
    yield {
      line,
      match,
      until: until === '' ? undefined : timeOf(until, nowMs),
      reason: reason === '' ? undefined : reason,
    };
  }
}

function* linesOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const found = text.indexOf('\n', at);
    const end = found < 0 ? text.length : found;
    yield text.slice(at, end);
    at = end + 1;
  }
}

/** Undefined if its quotes are wrong. */
function fieldsOf(content: string): string[] | undefined {
  const fields: string[] = [];
  for (let at = 0; at <= content.length; ) {
    FIELD.lastIndex = at;
    const found = FIELD.exec(content);
    if (found === null) return undefined;
    const [all, quoted, plain = ''] = found;
    fields.push(quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"'));
    at += all.length + 1;
  }
  return fields;
}

/** What isn't a duration is for Brume to judge. */
function timeOf(until: string, nowMs: number): string {
  const durationMs = parseDurationMs(until);
  if (durationMs === undefined) return until;
  const end = new Date(nowMs + durationMs);
  return Number.isNaN(end.getTime()) ? until : end.toISOString();
}

/** Windows writes a byte order mark. */
function withoutMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

function fault(file: string, line: number, what: string): UsageError {
  return new UsageError(`${file}:${line}: ${what}.`);
}
