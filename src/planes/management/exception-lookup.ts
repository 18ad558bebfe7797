import { BrumeError } from '../../errors/catalogue.ts';
import type { ExceptionStore } from '../../policy/exceptions/exception-store.ts';
import { identifierOfMatch } from '../../policy/exceptions/match.ts';
import type { ExceptionKind, NewException, RuleException } from '../../policy/exceptions/rule-exception.ts';
import { canonicalIdentifier } from '../../policy/identifier.ts';
import type { Namespace } from '../../policy/namespace.ts';
import type { Written } from '../../policy/policy-store.ts';
import { isReference } from './find-or-404.ts';
import type { ManagementDeps } from './management-deps.ts';
import { iso } from './resource-schemas.ts';

/** The exception of this id, also if it has expired and is not cleared away yet. */
export async function exceptionOr404(
  store: ExceptionStore,
  namespace: Namespace,
  kind: ExceptionKind,
  id: string,
): Promise<RuleException> {
  const query = { kind, id, withExpired: true, pageSize: 1 };
  const found = isReference(id) ? (await store.listExceptions(namespace.id, query)).items[0] : undefined;
  if (found === undefined) throw new BrumeError('unknown_exception');
  return found;
}

/**
 * After a change: an identifier that is named exactly is judged by it on every node from now on. Of
 * patterns and CIDR blocks nobody can say whom they concern; the nodes learn of those in time.
 */
export async function announceException(
  { limiter }: Pick<ManagementDeps, 'limiter'>,
  namespace: Namespace,
  { value: { form, match }, revision }: Written<Pick<RuleException, 'form' | 'match'>>,
): Promise<void> {
  if (form !== 'exact') return;
  // An address is counted by its prefix, whatever part of it the exception is for.
  const identifier = canonicalIdentifier(namespace.rule, identifierOfMatch(match));
  await limiter.announce(namespace, identifier, revision);
}

/** A conflict tells what is there already, and what to do about it. */
export async function sayingWhatIsThere<Result>(
  { exceptions }: Pick<ManagementDeps, 'exceptions'>,
  namespace: Namespace,
  { kind, match }: Pick<NewException, 'kind' | 'match'>,
  writing: Promise<Result>,
): Promise<Result> {
  try {
    return await writing;
  } catch (error) {
    if (!(error instanceof BrumeError) || error.code !== 'conflict') throw error;
    const [there] = (await exceptions.listExceptions(namespace.id, { kind, match, pageSize: 1 })).items;
    throw there === undefined ? error : conflictWith(there);
  }
}

/** `field` says which of many it was. */
export function conflictWith(there: RuleException, field = 'match'): BrumeError {
  const { kind, match, createdAtMs, expiresAtMs, author } = there;
  const end = expiresAtMs === null ? 'until it is removed' : `until ${iso(expiresAtMs)}`;
  const article = kind === 'block' ? 'A' : 'An';
  return new BrumeError('conflict', {
    field,
    detail: `${article} ${kind} of ${match} by ${author} holds since ${iso(createdAtMs)}, ${end}. With replace the new one takes its place.`,
  });
}
