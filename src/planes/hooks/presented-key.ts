import { badHeader, headerLines, type RawHeaders, soleHeader } from './header-lines.ts';

const BEARER = /^bearer +(\S.*)$/i;

/**
 * The API key of a call by a program: `X-API-Key`, `apikey` or `Authorization: Bearer`. Undefined if
 * there is none. Two different ones are refused: which of them counted would be a matter of luck.
 */
export function presentedKey(headers: RawHeaders): string | undefined {
  const keys = new Set<string>();
  for (const name of ['x-api-key', 'apikey']) {
    for (const value of headerLines(headers, name)) keys.add(value);
  }
  for (const value of headerLines(headers, 'authorization')) {
    const token = BEARER.exec(value)?.[1];
    if (token !== undefined) keys.add(token);
  }
  keys.delete('');
  const [key, ...others] = keys;
  if (others.length > 0) throw badHeader('X-API-Key', 'and the other headers for a key hold different keys');
  return key;
}

/** The API key of a forward-auth call: only what the proxy itself was configured to set. */
export function presentedProxyKey(headers: RawHeaders): string | undefined {
  return headerLines(headers, 'x-brume-key').join('') === '' ? undefined : soleHeader(headers, 'X-Brume-Key');
}

/**
 * The API key in the query, for callers that can't set headers: `?apikey=`. `url` is as it came.
 * Undefined if there is none. Throws BrumeError `bad_request` if it is repeated.
 */
export function keyInQuery(url: string): string | undefined {
  const start = url.indexOf('?');
  if (start === -1) return undefined;
  const [key, ...more] = new URLSearchParams(url.slice(start + 1)).getAll('apikey');
  if (more.length > 0) throw badHeader('apikey', 'must not be repeated in the query');
  // As headers come: one character a byte.
  return key === undefined || key === '' ? undefined : Buffer.from(key, 'utf8').toString('latin1');
}
