import { path } from './call-api.ts';
import { type Call, pagesOf } from './list-all.ts';

/** Who changed what, as the management routes give it. */

export interface AuditEntry {
  readonly revision: number;
  readonly at: string;
  readonly actor: string;
  readonly address: string | null;
  readonly requestId: string | null;
  readonly organisationId: string | null;
  readonly projectId: string | null;
  readonly action: string;
  /** What it was done to: a name or an id. */
  readonly target: string;
  /** Null: there was none. */
  readonly before: unknown;
  /** Null: there is none any more. */
  readonly after: unknown;
}

/** Whose audit: a project's, an organisation's, both by id or name, or of all. */
export type AuditPlace = { readonly project: string } | { readonly organisation: string } | 'everywhere';

export interface AuditFilter {
  readonly actor?: string;
  readonly action?: string;
  /** Times with their offset; both belong to it. */
  readonly from?: string;
  readonly to?: string;
  /** Only later revisions. */
  readonly after?: number;
}

/** Entries may be large (docs/audit.md): so many fit into one answer at their largest. */
const PAGE_SIZE_MAX = 250;

/** The calls for the audit. They reject as those of ApiClient do. */
export class AuditCalls {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /** The pages of it, the oldest entry first. Ends behind `limit` entries, or when there are no more. */
  async *pages(
    place: AuditPlace,
    filter: AuditFilter = {},
    { limit = Number.POSITIVE_INFINITY }: { readonly limit?: number } = {},
  ): AsyncGenerator<readonly AuditEntry[], void, undefined> {
    let left = limit;
    if (left <= 0) return;
    const query = { ...filter, limit: Math.min(left, PAGE_SIZE_MAX) };
    for await (const page of pagesOf<AuditEntry>(this.#call, urlOf(place), query)) {
      yield page.slice(0, left);
      left -= page.length;
      if (left <= 0) return;
    }
  }
}

function urlOf(place: AuditPlace): string {
  if (place === 'everywhere') return '/v1/audit';
  return 'project' in place
    ? path`/v1/projects/${place.project}/audit`
    : path`/v1/organisations/${place.organisation}/audit`;
}
