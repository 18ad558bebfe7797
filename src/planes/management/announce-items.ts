import { BrumeError } from '../../errors/catalogue.ts';
import { identifierOfMatch, parseMatch } from '../../policy/exceptions/match.ts';
import { canonicalIdentifier } from '../../policy/identifier.ts';
import type { Namespace } from '../../policy/namespace.ts';
import type { Applied } from '../../policy/rules/rules-store.ts';
import { inTurns, type Steps } from '../../policy/rules/steps.ts';
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
  const named = await inTurns(naming(items, (name) => snapshot.namespace(projectId, name)));
  for (let from = 0; from < named.length; from += AT_A_TIME) {
    await Promise.all(
      named
        .slice(from, from + AT_A_TIME)
        .map(({ namespace, identifier }) => limiter.announce(namespace, identifier, revision)),
    );
  }
}

interface Named {
  readonly namespace: Namespace;
  readonly identifier: string;
}

function* naming(
  items: Applied['items'],
  namespaceOf: (name: string) => Namespace | undefined,
): Steps<Named[]> {
  const named: Named[] = [];
  for (const { namespace: name, exception } of items) {
    yield;
    if (named.length >= ANNOUNCED_MAX) break;
    const namespace = exception === null ? undefined : namespaceOf(name);
    if (exception === null || namespace === undefined) continue;
    const identifier = exactIdentifier(namespace, exception.match);
    if (identifier !== undefined) named.push({ namespace, identifier });
  }
  return named;
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
