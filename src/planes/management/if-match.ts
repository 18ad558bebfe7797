import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { BrumeError } from '../../errors/catalogue.ts';
import './route-access.ts';

const ENTITY_TAG = /^"?([0-9]{1,15})"?$/;

/**
 * Refuses If-Match on writes that have nothing to compare it with: who sends it counts on a lost update
 * being told.
 */
export const refusedIfMatch = fp(
  async (app: FastifyInstance) => {
    app.addHook('onRequest', function refuseIfMatch(request, _reply, done) {
      const isRead = request.method === 'GET' || request.method === 'HEAD';
      const { isVersioned = false } = request.routeOptions.config;
      if (isRead || isVersioned || request.is404 || request.headers['if-match'] === undefined) return done();
      const detail = 'This call has no version to compare If-Match with; leave it out.';
      done(new BrumeError('bad_request', { field: 'If-Match', detail }));
    });
  },
  { name: 'brume-refused-if-match', dependencies: ['brume-authorisation'] },
);

/** The revision that a change expects to find, of its If-Match header; nothing where it has none. */
export function ifMatchRevision(header: string | undefined): { readonly expectedRevision?: number } {
  if (header === undefined || header.trim() === '*') return {};
  const [, revision] = ENTITY_TAG.exec(header) ?? [];
  if (revision === undefined) {
    const detail = 'If-Match must be a revision, as ETag gave it.';
    throw new BrumeError('bad_request', { field: 'If-Match', detail });
  }
  return { expectedRevision: Number(revision) };
}

/** The revision of a path; what can't be one is found nowhere. */
export function revisionOr404(text: string): number {
  if (!/^[0-9]{1,15}$/.test(text)) throw new BrumeError('unknown_revision');
  return Number(text);
}
