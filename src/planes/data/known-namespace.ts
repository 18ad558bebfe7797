import { BrumeError } from '../../errors/catalogue.ts';
import type { Namespace, PolicySnapshot } from '../../policy/namespace.ts';

/**
 * Throws BrumeError `unknown_namespace`; `not_ready` where no configuration has been read yet, and
 * nobody can say.
 */
export function knownNamespace(snapshot: PolicySnapshot, projectId: string, name: string): Namespace {
  const namespace = snapshot.namespace(projectId, name);
  if (namespace !== undefined) return namespace;
  throw snapshot.state().isLoaded
    ? new BrumeError('unknown_namespace', { field: 'namespace' })
    : new BrumeError('not_ready');
}
