import { randomBytes } from 'node:crypto';

/** Crockford's base 32: capitals, so that no id looks like a name. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const LENGTH = 24;

/** `prj_` and 120 random bits. */
export function randomId(prefix: 'prj' | 'key' | 'ns' | 'ex' | 'org' | 'usr' | 'mt' | 'tier'): string {
  const letters = Array.from(randomBytes(LENGTH), (byte) => ALPHABET.charAt(byte & 31));
  return `${prefix}_${letters.join('')}`;
}
