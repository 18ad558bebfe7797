import { randomBytes } from 'node:crypto';
import type { IdentifierKey } from './identifier-key.ts';

/** A lease as its holder knows it. */
export interface Lease {
  /** Opaque; good for the project it was given to only. */
  readonly id: string;
  /** Epoch milliseconds of the store's time. */
  readonly expiresAtMs: number;
}

/** What a lease id stands for. */
export interface LeaseRef {
  /** Under which the identifier's state is kept. */
  readonly key: string;
  /** `RANDOM:TTL`, as the counters know it. */
  readonly holder: string;
}

const RANDOM_BYTES = 12;

export function newHolder(ttlMs: number): string {
  return `${randomBytes(RANDOM_BYTES).toString('base64url')}:${ttlMs}`;
}

/** The id carries all that is needed to find the lease, and a seal, so that no project can make up another's. */
export function leaseId(identifierKey: IdentifierKey, projectId: string, { key, holder }: LeaseRef): string {
  const [random, ttl] = holder.split(':');
  return ['lse', key, random, ttl, sealOf(identifierKey, projectId, key, holder)].join('.');
}

const LEASE_ID = /^lse\.([\w-]{22})\.([\w-]{16})\.(\d{4,8})\.([\w-]{22})$/;

/** Undefined for what is no lease id, or not one of this project. */
export function parseLeaseId(
  identifierKey: IdentifierKey,
  projectId: string,
  id: string,
): LeaseRef | undefined {
  const [, key, random, ttl, seal] = LEASE_ID.exec(id) ?? [];
  if (key === undefined) return undefined;
  const holder = `${random}:${ttl}`;
  return seal === sealOf(identifierKey, projectId, key, holder) ? { key, holder } : undefined;
}

/** As secret as the hash of an identifier: without the installation's secret nobody can make one. */
function sealOf(identifierKey: IdentifierKey, projectId: string, key: string, holder: string): string {
  return identifierKey('lease', projectId, `${key}.${holder}`);
}
