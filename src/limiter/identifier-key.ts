import { createHmac } from 'node:crypto';

/** 128 bits: no two of even 10^12 identifiers meet by chance. */
const KEY_BYTES = 16;

export type IdentifierKey = (projectId: string, namespaceId: string, identifier: string) => string;

/**
 * Names the state of an identifier: 22 characters of base64url, a keyed hash, so that counters hold
 * no personal data, sizes are bounded, and no choice of identifier meets another's state. Each part
 * goes in with its length in front, or `a` + `bc` and `ab` + `c` would share a name.
 */
export function identifierKeyer(secret: Uint8Array): IdentifierKey {
  if (secret.length < 32)
    throw new RangeError(`the identifier secret has ${secret.length} bytes, not 32 or more`);
  return (projectId, namespaceId, identifier) =>
    createHmac('sha256', secret)
      .update(`${projectId.length}:${projectId}${namespaceId.length}:${namespaceId}${identifier}`)
      .digest()
      .toString('base64url', 0, KEY_BYTES);
}
