import { Buffer } from 'node:buffer';
import { BrumeError } from '../errors/catalogue.ts';
import { canonicalAddress } from './address.ts';
import type { NamespaceKind } from './names.ts';

export const IDENTIFIER_BYTES_MAX = 512;

/** C0, DEL and C1: exactly Unicode's category Cc. */
const CONTROL = /\p{Cc}/u;

/** White space, and what shows as nothing: zero-width characters, fillers, soft hyphens. */
const BLANK = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}]*$/u;

/**
 * The identifier as it is counted by. Text is taken byte for byte and never normalised; for kind
 * `ip` it is the canonical address, IPv6 cut to the rule's prefix.
 * Throws BrumeError `bad_request` with field `identifier`.
 */
export function canonicalIdentifier(
  rule: { readonly kind: NamespaceKind; readonly ipv6Prefix: number },
  raw: unknown,
): string {
  if (typeof raw !== 'string') throw refused('must be a string');
  const fault = identifierFault(raw);
  if (fault !== undefined) throw refused(fault);
  if (rule.kind === 'text') return raw;
  const address = canonicalAddress(raw, rule.ipv6Prefix);
  if (address === undefined) throw refused('must be an IPv4 or IPv6 address in this namespace');
  return address;
}

/** Why a text can't be an identifier, in the words behind its name; undefined if it can. */
export function identifierFault(raw: string): string | undefined {
  if (raw.length === 0) return 'must not be empty';
  // UTF-16 units never outnumber UTF-8 bytes: a huge string is refused before it is walked.
  if (raw.length > IDENTIFIER_BYTES_MAX || Buffer.byteLength(raw) > IDENTIFIER_BYTES_MAX) {
    return `must be at most ${IDENTIFIER_BYTES_MAX} bytes of UTF-8`;
  }
  if (!raw.isWellFormed()) return 'must be valid Unicode, without lone surrogates';
  if (CONTROL.test(raw)) return 'must not contain control characters';
  if (BLANK.test(raw)) return 'must not consist of blanks only';
  return undefined;
}

function refused(fault: string): BrumeError {
  return new BrumeError('bad_request', { field: 'identifier', detail: `identifier ${fault}.` });
}
