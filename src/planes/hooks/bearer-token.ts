import { badHeader, headerLines, type RawHeaders } from './header-lines.ts';

const BEARER = /^bearer +(\S+)$/i;

/**
 * The token in `Authorization: Bearer`. Undefined if there is none. Throws BrumeError `bad_request` if the
 * header comes twice: which of them counted would be a matter of luck.
 */
export function bearerToken(headers: RawHeaders): string | undefined {
  const [line, ...more] = headerLines(headers, 'authorization');
  if (more.length > 0) throw badHeader('Authorization', 'must not be repeated');
  return line === undefined ? undefined : BEARER.exec(line.trim())?.[1];
}
