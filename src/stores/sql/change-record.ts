import type { ExceptionKind, RuleException } from '../../policy/exceptions/rule-exception.ts';
import { ChangeCounts } from '../../policy/rules/change-summary.ts';
import type { Change } from './change.ts';
import { insertItems, insertItemsOfPortion } from './change-items.ts';
import {
  countInForceByKind,
  deletePortion,
  EXCEPTIONS_PER_PORTION,
  ROWS_PER_STATEMENT,
} from './exceptions.ts';
import { forgetOldChanges, insertChange } from './project-changes.ts';
import { exceptionItemText, type ItemRow } from './stored-items.ts';

/** What one change of a project does, written into its history. */
export class ChangeRecord {
  readonly change: Change;
  readonly projectId: string;
  readonly author: string;
  readonly #counts = new ChangeCounts();
  #items = 0;

  constructor(change: Change, projectId: string, author: string) {
    this.change = change;
    this.projectId = projectId;
    this.author = author;
  }

  async add(items: readonly ItemRow[]): Promise<void> {
    for (let from = 0; from < items.length; from += ROWS_PER_STATEMENT) {
      const portion = items.slice(from, from + ROWS_PER_STATEMENT);
      await insertItems(this.change, this.projectId, this.#items + 1, portion);
      this.#items += portion.length;
    }
    for (const { exception, beforeText, afterText } of items) {
      this.#counts.add({ exception, before: beforeText, after: afterText });
    }
  }

  /** Removes all exceptions of a namespace that goes, and adds them; before the namespace itself. */
  async removeAllOf(namespace: { readonly id: string; readonly name: string }): Promise<void> {
    const { change, projectId } = this;
    for (const { kind, count } of await countInForceByKind(change.transaction, namespace.id, change.nowMs)) {
      this.#counts.add({ exception: { kind }, before: {}, after: null }, count);
    }
    for (let removed = EXCEPTIONS_PER_PORTION; removed === EXCEPTIONS_PER_PORTION; ) {
      this.#items += await insertItemsOfPortion(change, projectId, this.#items + 1, namespace);
      removed = await deletePortion(change.transaction, namespace.id);
    }
  }

  /** Comes last. */
  async close(): Promise<void> {
    const { change, projectId, author } = this;
    await insertChange(change, { projectId, author, summary: this.#counts.summary() });
    await forgetOldChanges(change.transaction, projectId);
  }
}

export function exceptionItemRow(
  namespace: string,
  { kind, match }: { readonly kind: ExceptionKind; readonly match: string },
  before: RuleException | null,
  after: RuleException | null,
): ItemRow {
  return {
    namespace,
    exception: { kind, match },
    beforeText: before === null ? null : exceptionItemText(before),
    afterText: after === null ? null : exceptionItemText(after),
  };
}
