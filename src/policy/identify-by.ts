import type { IdentifyBy } from './namespace.ts';
import { badMember } from './schema-fault.ts';

/** RFC 9110, 5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;

/** Secrets, and what proxies consume or rewrite between two hops (RFC 9110, 7.6.1). */
const REFUSED_HEADERS = new Set([
  'authorization',
  'connection',
  'cookie',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Reads `address`, `path`, `key` or `header:NAME`; header names end up in lower case. */
export function parseIdentifyBy(text: string, field: string): IdentifyBy {
  if (text === 'address' || text === 'path' || text === 'key') return { by: text };
  if (!text.startsWith('header:')) throw badMember(field, 'must be one of address, header:NAME, path, key');
  const header = text.slice('header:'.length);
  if (!TOKEN.test(header)) {
    throw badMember(field, 'must name a header after "header:" (letters, digits and "-", at most 128)');
  }
  const name = header.toLowerCase();
  if (name.startsWith('x-brume-')) throw badMember(field, "can't name one of Brume's own X-Brume-* headers");
  if (REFUSED_HEADERS.has(name)) {
    throw badMember(field, `can't name the header ${name}: it holds a secret or belongs to one hop only`);
  }
  return { by: 'header', header: name };
}

/** The reverse of parseIdentifyBy. */
export function identifyByText(identifyBy: IdentifyBy): string {
  return identifyBy.by === 'header' ? `header:${identifyBy.header}` : identifyBy.by;
}
