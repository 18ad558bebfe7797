import { hash } from 'node:crypto';
import { BrumeError } from '../../errors/catalogue.ts';
import { isUsable, type KeyDirectory, type KeyKind, type Scope } from '../../tenancy/api-key.ts';

/** Who asks: a project, through one of its keys. */
export interface Caller {
  readonly projectId: string;
  readonly keyId: string;
  readonly scopes: readonly Scope[];
}

/** A key as it was presented. */
export interface Presented {
  readonly key: string | undefined;
  /** The only kind of key that counts there; any if absent. */
  readonly onlyKind?: KeyKind;
}

/**
 * Finds the caller behind a key as it came over the wire (latin1, one character a byte). The key is
 * looked up by its hash, so how long that takes says nothing of how much of it was right.
 * Throws BrumeError `unauthorized`, with no word on whether the key was missing, unknown, revoked,
 * expired or of another kind; `store_unavailable` if nobody could look it up.
 */
export async function whoAsks(
  directory: KeyDirectory,
  { key, onlyKind }: Presented,
  nowMs: number,
): Promise<Caller> {
  if (key === undefined) throw new BrumeError('unauthorized');
  const found = await directory.find(hash('sha256', Buffer.from(key, 'latin1'), 'hex'));
  // The directory may answer from a cache: expiry is judged at each request.
  if (found === undefined || !isUsable(found, nowMs)) throw new BrumeError('unauthorized');
  if (onlyKind !== undefined && found.kind !== onlyKind) throw new BrumeError('unauthorized');
  return { projectId: found.projectId, keyId: found.id, scopes: found.scopes };
}

/** Throws BrumeError `forbidden_scope`. */
export function requireScope(caller: Caller, scope: Scope): void {
  if (!caller.scopes.includes(scope)) throw new BrumeError('forbidden_scope');
}
