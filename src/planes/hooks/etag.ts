import type { FastifyRequest } from 'fastify';
import { BrumeError } from '../../errors/catalogue.ts';
import type { Versioned } from '../../tenancy/actor.ts';
import { actorOf } from './identification.ts';

/** RFC 9110, section 8.8.3: one entity tag, weak or strong. */
const ENTITY_TAG = /^(W\/)?"([\x21\x23-\x7e]*)"$/;

/** The entity tag of a version; quoted, as ETag and If-Match want it. */
export function entityTag(version: number): string {
  return `"${version}"`;
}

/**
 * The version that a write expects, by its If-Match; nothing where there is none, or `*`. Rejects tags
 * that can't be ours with `precondition_failed`, as any that doesn't match, and what is no tag with
 * `bad_request`: it is meant as a condition, and can't be kept.
 */
function expectedVersion(header: string | undefined): { readonly expectedVersion?: number } {
  const text = header?.trim();
  if (text === undefined || text === '*') return {};
  // Without quotes too: shells eat them.
  const [, weak, tag] = ENTITY_TAG.exec(/^[0-9]{1,15}$/.test(text) ? `"${text}"` : text) ?? [];
  if (tag === undefined) {
    const detail = 'If-Match must be one version, as ETag gave it, or *.';
    throw new BrumeError('bad_request', { field: 'If-Match', detail });
  }
  if (weak !== undefined || !/^[0-9]{1,15}$/.test(tag)) {
    throw new BrumeError('precondition_failed', { field: 'If-Match' });
  }
  return { expectedVersion: Number(tag) };
}

/** Who writes, and which version is to be there. */
export function versionedBy(request: FastifyRequest): Versioned {
  return { actor: actorOf(request), ...expectedVersion(request.headers['if-match']) };
}
