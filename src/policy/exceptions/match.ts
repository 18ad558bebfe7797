import { fullAddress } from '../address.ts';
import { IDENTIFIER_BYTES_MAX, identifierFault } from '../identifier.ts';
import type { NamespaceKind } from '../names.ts';
import { badMember } from '../schema-fault.ts';
import { intendedMappedBlock, MAPPED_BITS, parseAddressBlock } from './address-block.ts';
import type { MatchForm } from './rule-exception.ts';
import { isPattern, parseText, writeText } from './text-match.ts';

/** As it is written: every character of an identifier may need a backslash before it. */
export const MATCH_CHARACTERS_MAX = 2 * IDENTIFIER_BYTES_MAX;

/** So many with an unescaped `*` a namespace: a bound for the lookup, of which each check pays a little. */
export const PATTERNS_PER_NAMESPACE_MAX = 1000;

export interface Match {
  readonly form: MatchForm;
  /** Canonical: the one spelling of all that mean the same. Parsing it gives the same again. */
  readonly match: string;
}

/**
 * Reads what an exception is for. Kind `text`: an identifier, or a pattern in which `*` stands for
 * any run of characters; `\*` is a star and `\\` a backslash. Kind `ip`: an address or a CIDR block.
 * Throws BrumeError `bad_request` about the field `at`.
 */
export function parseMatch(kind: NamespaceKind, text: string, at = 'match'): Match {
  return kind === 'ip' ? addressMatch(text, at) : textMatch(text, at);
}

/**
 * The identifier that an `exact` match stands for; in a namespace of kind `ip` the full address,
 * which canonicalIdentifier still has to cut.
 */
export function identifierOfMatch(match: string): string {
  return parseText(match).parts.join('');
}

/** The `exact` match of an identifier, whatever characters it has. */
export function matchOfIdentifier(identifier: string): string {
  return writeText([identifier]);
}

function textMatch(text: string, at: string): Match {
  const { parts, isWellEscaped } = parseText(text);
  if (!isWellEscaped) {
    const right = text.replaceAll(/\\\*|\\\\|\\/g, (found) => (found === '\\' ? '\\\\' : found));
    throw badMember(
      at,
      `must have each backslash doubled, and a backslash before a star that is meant as such: ${right}`,
    );
  }
  // A star counts as one character: what is checked is as long as what is meant.
  const fault = identifierFault(parts.join('*'));
  if (fault !== undefined) throw badMember(at, fault);
  return { form: isPattern(parts) ? 'pattern' : 'exact', match: writeText(parts) };
}

function addressMatch(text: string, at: string): Match {
  const fault = identifierFault(text);
  if (fault !== undefined) throw badMember(at, fault);
  if (text.includes('/')) return blockMatch(text, at);
  const address = fullAddress(text);
  if (address !== undefined) return { form: 'exact', match: address };
  const instead = text.includes('*') ? '; a whole network is written as 198.51.100.0/24, not with *' : '';
  throw badMember(
    at,
    `must be an IPv4 or IPv6 address or a block of them in this namespace, as 203.0.113.7 or 2001:db8::/32${instead}`,
  );
}

function blockMatch(text: string, at: string): Match {
  const block = parseAddressBlock(text);
  if (block === undefined) {
    const intended = intendedMappedBlock(text);
    if (intended !== undefined) {
      const { prefix, network } = intended;
      throw badMember(
        at,
        `has a prefix that is too short for an IPv4 address written as IPv6: write ${network}/${prefix}, or ::ffff:${network}/${prefix + MAPPED_BITS}`,
      );
    }
    throw badMember(
      at,
      'must be an address and the length of its prefix, as 198.51.100.0/24 or 2001:db8::/32',
    );
  }
  if (block.address !== block.network) {
    throw badMember(
      at,
      `has bits set behind its prefix: write ${block.network}/${block.prefix}, or ${block.address} for this address alone`,
    );
  }
  return block.isOneAddress
    ? { form: 'exact', match: block.address }
    : { form: 'cidr', match: `${block.network}/${block.prefix}` };
}
