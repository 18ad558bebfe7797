import { BrumeError } from '../../errors/catalogue.ts';

const ENTITY_TAG = /^"?([0-9]{1,15})"?$/;

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
