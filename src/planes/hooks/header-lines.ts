import { BrumeError } from '../../errors/catalogue.ts';

/** Names and values by turns, in the order in which they came, as in node's `rawHeaders`. */
export type RawHeaders = readonly string[];

/**
 * The values of every line of a header; `name` in lower case. Node's own `headers` joins lines or
 * drops all but the first, by header: no ground to decide on.
 */
export function headerLines(headers: RawHeaders, name: string): string[] {
  const lines: string[] = [];
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const candidate = headers[at];
    if (candidate?.length === name.length && candidate.toLowerCase() === name)
      lines.push(headers[at + 1] ?? '');
  }
  return lines;
}

/**
 * The value of a header that may come once at most; undefined if it is absent.
 * Throws BrumeError `bad_request` naming `shownName` if it is repeated or empty.
 */
export function soleHeader(headers: RawHeaders, shownName: string): string | undefined {
  const [value, ...more] = headerLines(headers, shownName.toLowerCase());
  if (value === undefined) return undefined;
  if (more.length > 0) throw badHeader(shownName, 'must not be repeated');
  if (value.trim() === '') throw badHeader(shownName, 'must not be empty');
  return value;
}

export function badHeader(name: string, fault: string): BrumeError {
  return new BrumeError('bad_request', { field: name, detail: `${name} ${fault}.` });
}
