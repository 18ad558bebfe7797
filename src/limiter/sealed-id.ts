import { randomBytes } from 'node:crypto';
import type { IdentifierKey } from './identifier-key.ts';

/** What the id of a lease or a reservation stands for. */
export interface TokenRef {
  readonly projectId: string;
  /** Its name: of the rule that a reservation is settled by. */
  readonly namespace: string;
  /** Under which the identifier's state is kept. */
  readonly key: string;
  /** `RANDOM:TTL`, as the counters know it. */
  readonly token: string;
}

export type IdKind = 'lease' | 'reservation';

const PREFIXES = { lease: 'lse', reservation: 'rsv' } as const satisfies Record<IdKind, string>;
const RANDOM_BYTES = 12;

/** The name of a new lease or reservation; its time to live in milliseconds stays with it. */
export function newToken(ttlMs: number): string {
  return `${randomBytes(RANDOM_BYTES).toString('base64url')}:${ttlMs}`;
}

/** The id carries all that is needed to find what it names, and a seal, so that no project can make up another's. */
export function sealedId(identifierKey: IdentifierKey, kind: IdKind, ref: TokenRef): string {
  const [random, ttl] = ref.token.split(':');
  return [PREFIXES[kind], ref.key, random, ttl, sealOf(identifierKey, kind, ref), ref.namespace].join('.');
}

const SEALED_ID = /^(lse|rsv)\.([\w-]{22})\.([\w-]{16})\.(\d{4,8})\.([\w-]{22})\.([a-z0-9._-]{1,64})$/;

/** Undefined for what is no id of this kind and project. */
export function openedId(
  identifierKey: IdentifierKey,
  kind: IdKind,
  projectId: string,
  id: string,
): TokenRef | undefined {
  const [, prefix, key, random, ttl, seal, namespace] = SEALED_ID.exec(id) ?? [];
  if (prefix !== PREFIXES[kind] || key === undefined || namespace === undefined) return undefined;
  const ref = { projectId, namespace, key, token: `${random}:${ttl}` };
  return seal === sealOf(identifierKey, kind, ref) ? ref : undefined;
}

/** As secret as the hash of an identifier: without the installation's secret nobody can make one. */
function sealOf(
  identifierKey: IdentifierKey,
  kind: IdKind,
  { projectId, namespace, key, token }: TokenRef,
): string {
  return identifierKey(kind, projectId, `${key}.${token}.${namespace}`);
}
