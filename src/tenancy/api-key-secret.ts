import { createHash, randomBytes } from 'node:crypto';
import type { KeyKind } from './api-key.ts';

const PREFIXES = { publishable: 'brume_pk_', service: 'brume_sk_' } as const satisfies Record<
  KeyKind,
  string
>;
const SECRET_BYTES = 32;
/** Four characters of the secret tell keys apart and leave 232 bits unknown. */
const SHOWN_LENGTH = 'brume_sk_'.length + 4;

export interface ApiKeySecret {
  /** The whole key: shown once, then forgotten. */
  readonly secret: string;
  /** Its first characters, for people to recognise it. */
  readonly prefix: string;
  /** What is stored. */
  readonly sha256: string;
}

/** A new key: `brume_pk_` or `brume_sk_` and 256 random bits as 43 characters of base64url. */
export function newApiKeySecret(kind: KeyKind): ApiKeySecret {
  const secret = PREFIXES[kind] + randomBytes(SECRET_BYTES).toString('base64url');
  return { secret, prefix: secret.slice(0, SHOWN_LENGTH), sha256: hashApiKey(secret) };
}

/**
 * SHA-256, hexadecimal: a plain hash is enough for 256 random bits. Keys are found by it, so no
 * comparison of secrets is left that could leak by its timing, and text of any length or shape is
 * simply unknown.
 */
export function hashApiKey(secret: string): string {
  return createHash('sha256').update(secret, 'utf8').digest('hex');
}
