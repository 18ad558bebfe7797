import { BrumeError } from '../../errors/catalogue.ts';
import { EXCEPTION_KINDS, type RuleException } from '../../policy/exceptions/rule-exception.ts';

type Position = Pick<RuleException, 'match' | 'kind'>;

/** Where a list of exceptions goes on, as an opaque word that fits into a URL; null behind nothing. */
export function nextOf(last: Position | undefined): string | null {
  if (last === undefined) return null;
  return Buffer.from(JSON.stringify([last.match, last.kind])).toString('base64url');
}

/** Throws BrumeError `bad_request` with field `after`. */
export function positionOf(next: string): Position {
  const [match, kind] = parsed(next);
  const known = EXCEPTION_KINDS.find((name) => name === kind);
  if (typeof match !== 'string' || known === undefined) {
    throw new BrumeError('bad_request', {
      field: 'after',
      detail: 'after must be the value of next on the page before.',
    });
  }
  return { match, kind: known };
}

function parsed(next: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(next, 'base64url').toString());
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
