import { clearBehind } from './address-block.ts';
import { ADDRESS_BYTES, addressBytes } from './address-bytes.ts';
import { globOf } from './glob.ts';
import { identifierOfMatch } from './match.ts';
import { byPrecedence, type Candidate } from './precedence.ts';

/**
 * Whether `rival` decides instead of `exception` for anyone who matches both, while both are in
 * force. They are of one namespace.
 */
export function isStronger(rival: Candidate, exception: Candidate): boolean {
  return byPrecedence(rival, exception) < 0 && overlap(rival, exception);
}

/** `rival` is as exact as the other or more so. */
function overlap(rival: Candidate, exception: Candidate): boolean {
  if (rival.match === exception.match && rival.form === exception.form) return true;
  switch (exception.form) {
    case 'exact':
      return false;
    case 'cidr':
      return isInBlock(rival.form === 'cidr' ? networkOf(rival.match) : rival.match, exception.match);
    case 'pattern':
      return rival.form === 'pattern'
        ? patternsOverlap(rival.match, exception.match)
        : globOf(exception.match).matches(identifierOfMatch(rival.match));
  }
}

function isInBlock(address: string, block: string): boolean {
  const [inside, network] = [new Uint8Array(ADDRESS_BYTES), new Uint8Array(ADDRESS_BYTES)];
  const length = addressBytes(address, inside);
  if (length === 0 || length !== addressBytes(networkOf(block), network)) return false;
  clearBehind(inside, Number(block.slice(block.indexOf('/') + 1)));
  return inside.every((byte, index) => byte === network[index]);
}

function networkOf(block: string): string {
  return block.slice(0, block.indexOf('/'));
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
