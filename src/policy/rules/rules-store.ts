import type { Actor } from '../../tenancy/actor.ts';
import type { ExceptionKind } from '../exceptions/rule-exception.ts';
import type { ProjectRules } from './project-rules.ts';

/** What a change does to one namespace or one exception, as JSON before and after. */
export interface ChangeItem {
  readonly namespace: string;
  /** Null for the namespace itself. */
  readonly exception: { readonly kind: ExceptionKind; readonly match: string } | null;
  /** Null: there was none. */
  readonly before: unknown;
  /** Null: there is none any more. */
  readonly after: unknown;
}

/** One change of a project. */
export interface ProjectChange {
  readonly revision: number;
  readonly author: string;
  /** One line: `2 namespaces created, 1 block removed`. */
  readonly summary: string;
  readonly createdAtMs: number;
}

export interface ApplyOptions {
  readonly actor: Actor;
  /** Removes namespaces that the rules don't have, and exceptions that their sections don't have. */
  readonly prune: boolean;
  /** Rejects with `revision_conflict` if the last change of the project is another one; undefined: whatever it is. */
  readonly expectedRevision?: number;
}

export interface Applied {
  /** Of the change; the project's last one if nothing had to change. */
  readonly revision: number;
  readonly items: readonly ChangeItem[];
}

/**
 * The port through which a project's rules are handled as a whole. Each method is one transaction.
 * Rejects with BrumeError: unknown_project, unknown_revision, revision_conflict, store_unavailable.
 */
export interface RulesStore {
  /** The project's rules and the revision that they have. */
  exportRules(projectId: string): Promise<{ readonly revision: number; readonly rules: ProjectRules }>;
  /** What `applyRules` would do. */
  diffRules(projectId: string, rules: ProjectRules, options: Pick<ApplyOptions, 'prune'>): Promise<Applied>;
  /** All of it or nothing; writes nothing if nothing differs. */
  applyRules(projectId: string, rules: ProjectRules, options: ApplyOptions): Promise<Applied>;
  /** The latest first. */
  listChanges(
    projectId: string,
    options: { readonly before?: number; readonly pageSize: number },
  ): Promise<readonly ProjectChange[]>;
  /** Undefined if the project has no such change, or it is no longer kept. */
  findChange(
    projectId: string,
    revision: number,
  ): Promise<(ProjectChange & { readonly items: readonly ChangeItem[] }) | undefined>;
  /** Puts back what held after that change, as a new change. Deleted namespaces return with their counts. */
  rollBack(
    projectId: string,
    revision: number,
    options: Pick<ApplyOptions, 'actor' | 'expectedRevision'>,
  ): Promise<Applied>;
}
