import type { NamespaceKind } from '../names.ts';
import { globOf } from './glob.ts';
import { identifierOfMatch } from './match.ts';
import { byPrecedence, type Candidate, matchingExceptions, possibleMatches } from './precedence.ts';

/** Whether `rival` decides instead of `exception` for anyone who matches both, while both are in force. */
export function isStronger(rival: Candidate, exception: Candidate, kind: NamespaceKind): boolean {
  return byPrecedence(rival, exception) < 0 && overlap(rival, exception, kind);
}

/** `rival` is as exact as the other or more so. */
function overlap(rival: Candidate, exception: Candidate, kind: NamespaceKind): boolean {
  if (rival.match === exception.match && rival.form === exception.form) return true;
  switch (rival.form) {
    case 'exact': {
      const subject = identifierOfMatch(rival.match);
      return matchingExceptions([exception], kind, subject, Number.NEGATIVE_INFINITY).length > 0;
    }
    case 'cidr': {
      const network = rival.match.slice(0, rival.match.indexOf('/'));
      return possibleMatches(kind, network).includes(exception.match);
    }
    case 'pattern':
      return exception.form === 'pattern' && patternsOverlap(rival.match, exception.match);
  }
}

/**
 * Both have a star, so that a text with the middle parts of the one and then those of the other fits
 * between any beginning and end that suit both.
 */
function patternsOverlap(one: string, other: string): boolean {
  const [left, right] = [globOf(one), globOf(other)];
  return (
    (left.prefix.startsWith(right.prefix) || right.prefix.startsWith(left.prefix)) &&
    (left.suffix.endsWith(right.suffix) || right.suffix.endsWith(left.suffix))
  );
}
