import type { ExceptionKind, LimitOverride, MatchForm } from '../../policy/exceptions/rule-exception.ts';
import { exceptionItemJson } from '../../policy/rules/change-items.ts';
import type { ChangeItem } from '../../policy/rules/rules-store.ts';
import type { UnnumberedException } from './exception-rows.ts';
import type { SqlDialect } from './sql.ts';

/** One item of a change as it is stored: JSON as text. */
export interface ItemRow {
  readonly namespace: string;
  /** Null for the namespace itself. */
  readonly exception: { readonly kind: ExceptionKind; readonly match: string } | null;
  readonly beforeText: string | null;
  readonly afterText: string | null;
}

/** A namespace as the history keeps it: what is needed to put it back, with its counts. */
export interface StoredNamespaceItem {
  readonly id: string;
  /** Its JSON; the bare text where that is none. */
  readonly rule: unknown;
  readonly createdAtMs: number;
}

/** An exception as the history keeps it; namespace, kind and match stand beside it. */
export interface StoredExceptionItem {
  readonly id: string;
  readonly form: MatchForm;
  readonly limits: readonly LimitOverride[] | null;
  readonly reason: string;
  readonly author: string;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly expiresAtMs: number | null;
}

export function namespaceItemText({
  id,
  ruleText,
  createdAtMs,
}: {
  readonly id: string;
  readonly ruleText: string;
  readonly createdAtMs: number;
}): string {
  const item: StoredNamespaceItem = { id, rule: jsonOrText(ruleText), createdAtMs };
  return JSON.stringify(item);
}

/** What was written by this file; null where there was nothing. */
export function readItem<Item>(text: string | null): Item | null {
  return text === null ? null : (JSON.parse(text) as Item);
}

/** The text of the rule that an item has. */
export function ruleTextOf({ rule }: StoredNamespaceItem): string {
  return typeof rule === 'string' ? rule : JSON.stringify(rule);
}

export function exceptionItemText(exception: UnnumberedException): string {
  const { id, form, limits, reason, author, createdAtMs, updatedAtMs, expiresAtMs } = exception;
  const item: StoredExceptionItem = {
    id,
    form,
    limits,
    reason,
    author,
    createdAtMs,
    updatedAtMs,
    expiresAtMs,
  };
  return JSON.stringify(item);
}

/** The same text, made by the database of a row of `rule_exceptions e`. */
export const EXCEPTION_ITEM_SQL: Readonly<Record<SqlDialect, string>> = {
  postgres: `cast(json_build_object('id', e.id, 'form', e.form, 'limits', cast(e.limits as json),
    'reason', e.reason, 'author', e.author, 'createdAtMs', e.created_at, 'updatedAtMs', e.updated_at,
    'expiresAtMs', e.expires_at) as text)`,
  sqlite: `json_object('id', e.id, 'form', e.form, 'limits', json(e.limits),
    'reason', e.reason, 'author', e.author, 'createdAtMs', e.created_at, 'updatedAtMs', e.updated_at,
    'expiresAtMs', e.expires_at)`,
};

/** An item as it is shown: with times in ISO 8601. */
export function shownItem({ namespace, exception, beforeText, afterText }: ItemRow): ChangeItem {
  const shown = exception === null ? shownNamespace : shownException;
  return { namespace, exception, before: shown(beforeText), after: shown(afterText) };
}

function shownNamespace(text: string | null): unknown {
  const item = readItem<StoredNamespaceItem>(text);
  return item && { id: item.id, rule: item.rule };
}

function shownException(text: string | null): unknown {
  const item = readItem<StoredExceptionItem>(text);
  return item && { ...exceptionItemJson({ ...item, match: '' }), id: item.id, author: item.author };
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
