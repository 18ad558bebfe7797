import type { ExceptionKind, LimitOverride, MatchForm } from '../exceptions/rule-exception.ts';
import type { Rule } from '../namespace.ts';

/** What a project's file says, checked and canonical: the subject of `brume rules`. */
export interface ProjectRules {
  readonly namespaces: ReadonlyMap<string, NamespaceRules>;
}

export interface NamespaceRules {
  readonly rule: Rule;
  /** By kind; undefined where the file has no such section, and nothing of it is managed there. */
  readonly exceptions: Readonly<Partial<Record<ExceptionKind, readonly ExceptionRules[]>>>;
}

export interface ExceptionRules {
  readonly form: MatchForm;
  readonly match: string;
  readonly limits: readonly LimitOverride[] | null;
  readonly reason: string;
  readonly expiresAtMs: number | null;
}
