import { createHash, randomBytes } from 'node:crypto';

const PREFIX = 'brume_mt_';
const SECRET_BYTES = 32;
/** Four characters of the secret tell tokens apart. */
const SHOWN_LENGTH = PREFIX.length + 4;
const WELL_FORMED = /^brume_mt_[A-Za-z0-9_-]{43}$/;

export interface ManagementTokenSecret {
  /** The whole token: shown once, then forgotten. */
  readonly secret: string;
  readonly prefix: string;
  readonly sha256: string;
}

/** A new token of the management API: `brume_mt_` and 256 random bits as 43 characters of base64url. */
export function newManagementTokenSecret(): ManagementTokenSecret {
  const secret = PREFIX + randomBytes(SECRET_BYTES).toString('base64url');
  return { secret, prefix: secret.slice(0, SHOWN_LENGTH), sha256: sha256Of(secret) };
}

/** By which a token is found; undefined for what can't be one. */
export function managementTokenHash(text: string): string | undefined {
  return WELL_FORMED.test(text) ? sha256Of(text) : undefined;
}

function sha256Of(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}
