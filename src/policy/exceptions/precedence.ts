import { fullAddress } from '../address.ts';
import type { NamespaceKind } from '../names.ts';
import { clearBehind } from './address-block.ts';
import { ADDRESS_BYTES, addressBytes, addressText } from './address-bytes.ts';
import { globOf } from './glob.ts';
import { identifierOfMatch, matchOfIdentifier } from './match.ts';
import { EXCEPTION_KINDS, type RuleException } from './rule-exception.ts';

export type Candidate = Pick<RuleException, 'kind' | 'form' | 'match' | 'createdAtMs' | 'expiresAtMs'>;

/**
 * Those that match and are in force, the one that decides first: the exact ones, then the most
 * specific; among equally specific ones block, exemption, override; then the oldest. `subject` is
 * the identifier, in a namespace of kind `ip` the full address.
 */
export function matchingExceptions<Exception extends Candidate>(
  candidates: readonly Exception[],
  kind: NamespaceKind,
  subject: string,
  nowMs: number,
): Exception[] {
  const full = kind === 'ip' ? (fullAddress(withoutFullPrefix(subject)) ?? subject) : subject;
  return candidates
    .filter(({ expiresAtMs }) => expiresAtMs === null || nowMs < expiresAtMs)
    .filter((candidate) => matches(candidate, kind, full))
    .sort(byPrecedence);
}

/** Of two that match the same identifier, the one that decides comes first. */
export function byPrecedence(left: Candidate, right: Candidate): number {
  return (
    specificity(right) - specificity(left) ||
    EXCEPTION_KINDS.indexOf(left.kind) - EXCEPTION_KINDS.indexOf(right.kind) ||
    left.createdAtMs - right.createdAtMs ||
    (left.match < right.match ? -1 : 1)
  );
}

/** Every match of form `exact` or `cidr` that can hold for this identifier; patterns are not among them. */
export function possibleMatches(kind: NamespaceKind, subject: string): string[] {
  if (kind === 'text') return [matchOfIdentifier(subject)];
  const full = fullAddress(withoutFullPrefix(subject));
  if (full === undefined) return [];
  const bytes = new Uint8Array(ADDRESS_BYTES);
  const length = addressBytes(full, bytes);
  if (length === 0) return [];
  const blocks: string[] = [];
  for (let prefix = length * 8 - 1; prefix >= 0; prefix--) {
    clearBehind(bytes, prefix);
    blocks.push(`${addressText(bytes, length)}/${prefix}`);
  }
  return [full, ...blocks];
}

function matches({ form, match }: Candidate, kind: NamespaceKind, subject: string): boolean {
  switch (form) {
    case 'exact':
      return identifierOfMatch(match) === subject;
    case 'pattern':
      return kind === 'text' && globOf(match).matches(subject);
    case 'cidr':
      return kind === 'ip' && possibleMatches(kind, subject).includes(match);
  }
}

/** Of two that match the same identifier, the more exact one has more of it. */
export function specificity({ form, match }: Pick<Candidate, 'form' | 'match'>): number {
  if (form === 'exact') return Number.POSITIVE_INFINITY;
  return form === 'cidr' ? Number(match.slice(match.indexOf('/') + 1)) : globOf(match).literalCharacters;
}

function withoutFullPrefix(subject: string): string {
  return subject.endsWith('/128') ? subject.slice(0, -'/128'.length) : subject;
}
