import { path } from './call-api.ts';
import type { Request } from './exchange.ts';

/** A project's rules as a whole and its history, as the management routes take and give them. */

export interface ExportedRules {
  readonly revision: number;
  /** As a file has them; docs/rules.schema.json. */
  readonly rules: unknown;
  /** Exceptions, or parts of them, without effect under their namespace's rule: a file can't say them. */
  readonly leftOut: readonly { readonly namespace: string; readonly kind: string; readonly match: string }[];
}

/** What a change does to one namespace or one exception. */
export interface ChangeItem {
  readonly namespace: string;
  /** Null for the namespace itself. */
  readonly exception: { readonly kind: string; readonly match: string } | null;
  /** Null: there was none. */
  readonly before: unknown;
  /** Null: there is none any more. */
  readonly after: unknown;
}

/** What a change means for the counts in use. */
export interface CountsEffect {
  readonly namespace: string;
  /** Name of a limit or quota; null where it concerns all of the namespace. */
  readonly limit: string | null;
  /** kept, afresh, forgotten, uncounted, renamed or new. */
  readonly effect: string;
  readonly text: string;
}

export interface AppliedRules {
  /** Of the change; the project's last one if nothing had to change. */
  readonly revision: number;
  readonly summary: string;
  readonly items: readonly ChangeItem[];
  readonly effects: readonly CountsEffect[];
}

export interface Change {
  readonly revision: number;
  readonly author: string;
  readonly summary: string;
  readonly createdAt: string;
}

export interface ChangeDetails extends Change {
  readonly items: readonly ChangeItem[];
}

export interface ChangeList {
  /** The latest first. */
  readonly items: readonly Change[];
  /** `before` for the next page; null on the last one. */
  readonly next: number | null;
}

export interface ApplyOptions {
  /** Removes what the rules don't have. */
  readonly prune?: boolean;
  /** Rejects with `revision_conflict` if the project's last change is another one. */
  readonly expectedRevision?: number;
}

type Call = <T>(request: Request) => Promise<T>;

/** The calls for a project's rules; of `ApiClient.rules`. */
export class RulesCalls {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  export(project: string): Promise<ExportedRules> {
    return this.#call({ method: 'GET', path: path`/v1/projects/${project}/rules` });
  }

  /** What `apply` would do. */
  diff(project: string, rules: unknown, options: ApplyOptions = {}): Promise<AppliedRules> {
    return this.#put(project, rules, options, { dryRun: 'true' });
  }

  /** All of it or nothing. */
  apply(project: string, rules: unknown, options: ApplyOptions = {}): Promise<AppliedRules> {
    return this.#put(project, rules, options, {});
  }

  listChanges(
    project: string,
    { before, limit }: { readonly before?: number; readonly limit?: number } = {},
  ): Promise<ChangeList> {
    const query = new URLSearchParams({
      ...(before !== undefined && { before: String(before) }),
      ...(limit !== undefined && { limit: String(limit) }),
    });
    return this.#call({ method: 'GET', path: `${path`/v1/projects/${project}/changes`}?${query}` });
  }

  showChange(project: string, revision: number): Promise<ChangeDetails> {
    return this.#call({ method: 'GET', path: path`/v1/projects/${project}/changes/${String(revision)}` });
  }

  /** Puts back what held after that change, as a new change. */
  rollBack(
    project: string,
    revision: number,
    { expectedRevision }: Pick<ApplyOptions, 'expectedRevision'> = {},
  ): Promise<AppliedRules> {
    return this.#call({
      method: 'POST',
      path: path`/v1/projects/${project}/changes/${String(revision)}/rollback`,
      body: {},
      ...ifMatch(expectedRevision),
    });
  }

  #put(
    project: string,
    rules: unknown,
    { prune = false, expectedRevision }: ApplyOptions,
    more: Readonly<Record<string, string>>,
  ): Promise<AppliedRules> {
    const query = new URLSearchParams({ prune: String(prune), ...more });
    return this.#call({
      method: 'PUT',
      path: `${path`/v1/projects/${project}/rules`}?${query}`,
      body: rules,
      ...ifMatch(expectedRevision),
    });
  }
}

function ifMatch(revision: number | undefined): Pick<Request, 'headers'> {
  return revision === undefined ? {} : { headers: { 'if-match': `"${revision}"` } };
}
