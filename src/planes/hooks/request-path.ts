import { Buffer, isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import { IDENTIFIER_BYTES_MAX } from '../../policy/identifier.ts';

const ORIGIN = /^https?:\/\/[^/?#]*/i;
const ESCAPE = /%([0-9a-f]{2})/gi;
/** RFC 3986, section 3.3, `pchar` without `;` and `%`. */
const NOT_IN_SEGMENT = /[^A-Za-z0-9\-._~!$&'()*+,=:@]/g;
const ASCII = /^\p{ASCII}*$/u;
const DIGEST_LENGTH = 64;

/**
 * One spelling for each path, so that no other spelling gets a count of its own: query and fragment
 * dropped, escapes decoded once, `;parameters` dropped from each segment, `//`, `/./`, `/../` and a
 * trailing slash resolved, letters in lower case, and what is no plain character escaped again. It
 * rather takes two paths for one than one for two. `text` is as it came over the wire (latin1).
 * Paths too long for an identifier keep their beginning and end in `#` and a SHA-256.
 * Undefined if `text` is no path.
 */
export function normalisedPath(text: string): string | undefined {
  const hasOrigin = ORIGIN.test(text);
  const raw = text.replace(ORIGIN, '').split(/[?#]/, 1)[0] ?? '';
  if (!raw.startsWith('/') && !(hasOrigin && raw === '')) return undefined;
  const segments: string[] = [];
  for (const segment of raw.replace(ESCAPE, unescaped).split('/')) {
    const name = segment.split(';', 1)[0] ?? '';
    if (name === '..') segments.pop();
    else if (name !== '' && name !== '.') segments.push(name);
  }
  return shortened(`/${segments.map(escaped).join('/')}`);
}

function unescaped(_escape: string, hex: string): string {
  return String.fromCharCode(Number.parseInt(hex, 16));
}

function escaped(segment: string): string {
  return lowerCase(segment).replace(
    NOT_IN_SEGMENT,
    (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
}

/** The characters are bytes: what is UTF-8 has case beyond ASCII, anything else has not. */
function lowerCase(bytes: string): string {
  if (ASCII.test(bytes)) return bytes.toLowerCase();
  const text = Buffer.from(bytes, 'latin1');
  if (!isUtf8(text)) return bytes.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  return Buffer.from(text.toString('utf8').toLowerCase(), 'utf8').toString('latin1');
}

function shortened(path: string): string {
  if (path.length <= IDENTIFIER_BYTES_MAX) return path;
  const kept = path.slice(0, IDENTIFIER_BYTES_MAX - DIGEST_LENGTH - 1);
  return `${kept}#${hash('sha256', path, 'hex')}`;
}
