import type { LimitOverride } from '../exceptions/rule-exception.ts';
import type { RuleJson } from '../rule-schema.ts';
import type { ExceptionRules } from './project-rules.ts';
import type { RulesWrite } from './rules-difference.ts';
import type { ChangeItem } from './rules-store.ts';

/** A namespace in a ChangeItem. The id is there once the namespace is, so not yet in what a diff says of a new one. */
export interface NamespaceItemJson {
  readonly id?: string;
  readonly rule: RuleJson;
}

/** An exception in a ChangeItem. A store may add what it needs to put it back: id, author, createdAt, … */
export interface ExceptionItemJson {
  /** Of an override. */
  readonly limits?: readonly LimitOverride[];
  readonly reason: string;
  /** ISO 8601. */
  readonly expiresAt: string | null;
}

/** A write as JSON before and after, as it is shown and recorded. */
export function itemOf(write: RulesWrite, namespaceId?: string): ChangeItem {
  const { namespace, exception } = write;
  if (write.exception === null) {
    const id = namespaceId === undefined ? {} : { id: namespaceId };
    const json = ({ json: rule }: { readonly json: RuleJson }): NamespaceItemJson => ({ ...id, rule });
    return {
      namespace,
      exception: null,
      before: write.before === null ? null : json(write.before),
      after: write.after === null ? null : json(write.after),
    };
  }
  return {
    namespace,
    exception,
    before: write.before === null ? null : exceptionItemJson(write.before),
    after: write.after === null ? null : exceptionItemJson(write.after),
  };
}

export function exceptionItemJson({ limits, reason, expiresAtMs }: ExceptionRules): ExceptionItemJson {
  return {
    ...(limits !== null && { limits }),
    reason,
    expiresAt: expiresAtMs === null ? null : new Date(expiresAtMs).toISOString(),
  };
}
