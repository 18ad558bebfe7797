import { path } from './call-api.ts';
import { type Expected, ifMatch } from './if-match.ts';
import { type Call, queryOf } from './list-all.ts';

/** Blocks, exemptions and overrides, as the management routes take and give them. */

export type ExceptionCollection = 'blocks' | 'exemptions' | 'overrides';

/** Where they stand: a project by id or name, a namespace by name. */
export interface ExceptionPlace {
  readonly project: string;
  readonly namespace: string;
  readonly collection: ExceptionCollection;
}

/** What an override says of one limit or quota of the rule. */
export interface LimitOverride {
  /** May be absent where the rule has only one. */
  readonly name?: string;
  readonly limit?: number;
  readonly burst?: number;
  readonly mode?: string;
}

export interface NewException {
  readonly match: string;
  /** Of an override. */
  readonly limits?: readonly LimitOverride[];
  readonly reason?: string;
  /** A time with its offset; until it is removed if null or absent. */
  readonly expiresAt?: string | null;
}

export interface Exception {
  readonly id: string;
  readonly kind: string;
  readonly match: string;
  /** Of an override. */
  readonly limits?: readonly LimitOverride[];
  readonly reason: string;
  readonly author: string;
  readonly version: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly expiresAt: string | null;
}

export interface ExceptionList {
  readonly items: readonly Exception[];
  /** `after` for the next page; null on the last one. */
  readonly next: string | null;
}

export interface Imported {
  readonly added: number;
  readonly replaced: number;
}

/** Which exception decides for an identifier, and those that match too and don't. */
export interface Explanation {
  readonly identifier: string;
  readonly decides: Exception | null;
  /** What the override that decides says in vain. Without members: the rule has no limit of this name. */
  readonly withoutEffect?: readonly { readonly name: string; readonly members: readonly string[] }[];
  readonly others: readonly (Exception & {
    /** Why it doesn't decide. */
    readonly because: string;
  })[];
}

/** Those that do something else and win over one, for some of those whom it is for. */
export interface Rivals {
  readonly items: readonly Exception[];
  /** False: there may be more. */
  readonly isWhole: boolean;
}

/** The calls for exceptions; of ApiClient. */
export class ExceptionCalls {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  list(
    place: ExceptionPlace,
    query: {
      readonly match?: string;
      readonly withExpired?: boolean;
      readonly after?: string;
      readonly limit?: number;
    } = {},
  ): Promise<ExceptionList> {
    const { withExpired = false, ...filter } = query;
    const expired = withExpired ? 'true' : undefined;
    return this.#call('GET', urlOf(place) + queryOf({ ...filter, expired }));
  }

  /** Rejects with `conflict` if one is there for the same match, unless `replace` is set. */
  add(
    place: ExceptionPlace,
    exception: NewException,
    { replace = false }: { readonly replace?: boolean } = {},
  ): Promise<Exception> {
    return this.#call('POST', urlOf(place), { ...exception, replace });
  }

  /** Up to 1,000 at once: all of them or none. */
  import(
    place: ExceptionPlace,
    entries: readonly NewException[],
    { replace = false }: { readonly replace?: boolean } = {},
  ): Promise<Imported> {
    return this.#call('POST', `${urlOf(place)}/import`, { entries, replace });
  }

  /** Says anew all that there is to say of it but the match. */
  update(
    place: ExceptionPlace,
    id: string,
    to: Omit<NewException, 'match'>,
    expected: Expected = {},
  ): Promise<Exception> {
    return this.#call('PUT', `${urlOf(place)}${path`/${id}`}`, to, ifMatch(expected));
  }

  /** Resolves with what was removed. */
  remove(place: ExceptionPlace, id: string, expected: Expected = {}): Promise<Exception> {
    return this.#call('DELETE', `${urlOf(place)}${path`/${id}`}`, undefined, ifMatch(expected));
  }

  rivals(place: ExceptionPlace, id: string): Promise<Rivals> {
    return this.#call('GET', `${urlOf(place)}${path`/${id}/rivals`}`);
  }

  explain(place: Omit<ExceptionPlace, 'collection'>, identifier: string): Promise<Explanation> {
    const { project, namespace } = place;
    const url = path`/v1/projects/${project}/namespaces/${namespace}/exceptions/explain`;
    return this.#call('GET', url + queryOf({ identifier }));
  }
}

function urlOf({ project, namespace, collection }: ExceptionPlace): string {
  return path`/v1/projects/${project}/namespaces/${namespace}/${collection}`;
}
