import { createHash, randomBytes } from 'node:crypto';

const PREFIX = 'brume_in_';
const SECRET_BYTES = 32;

/** The secret of an invitation's link: `brume_in_` and 256 random bits as 43 characters of base64url. */
export function newOneTimeSecret(): { readonly secret: string; readonly sha256: string } {
  const secret = PREFIX + randomBytes(SECRET_BYTES).toString('base64url');
  return { secret, sha256: hashOneTimeSecret(secret) };
}

/** SHA-256, hexadecimal, as it is stored and found. */
export function hashOneTimeSecret(secret: string): string {
  return createHash('sha256').update(secret, 'utf8').digest('hex');
}

/** Anything else is no secret of ours, and not worth a look into a store. */
export function isOneTimeSecret(text: string): boolean {
  return /^brume_in_[A-Za-z0-9_-]{43}$/.test(text);
}
