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
