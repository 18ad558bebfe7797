import { BrumeError } from '../../errors/catalogue.ts';
import { identifierOfMatch, parseMatch } from '../../policy/exceptions/match.ts';
import { canonicalIdentifier } from '../../policy/identifier.ts';
import type { Namespace } from '../../policy/namespace.ts';
import type { Applied } from '../../policy/rules/rules-store.ts';
import type { ManagementDeps } from './management-deps.ts';

/** Of one change; the nodes learn of the rest within the propagation bound. */
const ANNOUNCED_MAX = 1000;
const AT_A_TIME = 50;

/**
 * After a change of many: whoever is named exactly is judged by it on every node from now on. Of
 * patterns and blocks of addresses nobody can say whom they concern.
 */
export async function announceItems(
  { snapshot, limiter }: Pick<ManagementDeps, 'snapshot' | 'limiter'>,
  projectId: string,
  { revision, items }: Applied,
): Promise<void> {
  const named: { readonly namespace: Namespace; readonly identifier: string }[] = [];
  for (const { namespace: name, exception } of items) {
    if (named.length >= ANNOUNCED_MAX) break;
    const namespace = exception === null ? undefined : snapshot.namespace(projectId, name);
    if (exception === null || namespace === undefined) continue;
    const identifier = exactIdentifier(namespace, exception.match);
    if (identifier !== undefined) named.push({ namespace, identifier });
  }
  for (let from = 0; from < named.length; from += AT_A_TIME) {
    await Promise.all(
      named
        .slice(from, from + AT_A_TIME)
        .map(({ namespace, identifier }) => limiter.announce(namespace, identifier, revision)),
    );
  }
}

/** Undefined for what stands for many, and for what the namespace's rule has no place for any more. */
function exactIdentifier({ rule }: Namespace, match: string): string | undefined {
  try {
    return parseMatch(rule.kind, match).form === 'exact'
      ? canonicalIdentifier(rule, identifierOfMatch(match))
      : undefined;
  } catch (error) {
    if (error instanceof BrumeError) return undefined;
    throw error;
  }
}
