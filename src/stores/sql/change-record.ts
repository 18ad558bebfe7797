import type { ExceptionKind } from '../../policy/exceptions/rule-exception.ts';
import { ChangeCounts } from '../../policy/rules/change-summary.ts';
import type { Change, Deed } from './change.ts';
import { insertItems, insertItemsOfPortion } from './change-items.ts';
import type { UnnumberedException } from './exception-rows.ts';
import {
  countInForceByKind,
  deletePortion,
  EXCEPTIONS_PER_PORTION,
  ROWS_PER_STATEMENT,
} from './exceptions.ts';
import { forgetOldChanges, insertChange } from './project-changes.ts';
import { exceptionItemText, type ItemRow, readItem } from './stored-items.ts';

/** How many items of a change the audit has in full. */
const AUDITED_ITEMS_MAX = 50;
/** In characters of JSON. */
const AUDITED_LENGTH_MAX = 65_536;

/** What one change of a project does, written into its history. */
export class ChangeRecord {
  readonly change: Change;
  readonly projectId: string;
  readonly #counts = new ChangeCounts();
  /** The first ones, for the audit. */
  readonly #shown: ItemRow[] = [];
  #items = 0;

  constructor(change: Change, projectId: string) {
    this.change = change;
    this.projectId = projectId;
  }

  get author(): string {
    return this.change.actor.name;
  }

  async add(items: readonly ItemRow[]): Promise<void> {
    for (let from = 0; from < items.length; from += ROWS_PER_STATEMENT) {
      const portion = items.slice(from, from + ROWS_PER_STATEMENT);
      await insertItems(this.change, this.projectId, this.#items + 1, portion);
      this.#items += portion.length;
    }
    this.#shown.push(...items.slice(0, AUDITED_ITEMS_MAX + 1 - this.#shown.length));
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

  /** Comes last. Resolves with what the audit says of it. */
  async close({ action, target }: Pick<Deed, 'action' | 'target'>): Promise<Deed> {
    const { change, projectId, author } = this;
    const summary = this.#counts.summary();
    await insertChange(change, { projectId, author, summary });
    await forgetOldChanges(change.transaction, projectId);
    const { beforeText, afterText } = this.#beforeAndAfter(summary);
    return { action, target, beforeText, afterText };
  }

  /**
   * Of one item as it was and is; of a few what was done; of more only in short: the history has them,
   * under the same revision. The exceptions of a namespace that goes are not named one by one.
   */
  #beforeAndAfter(summary: string): Pick<Deed, 'beforeText' | 'afterText'> {
    const [first, ...others] = this.#shown;
    if (first !== undefined && others.length === 0) return first;
    const items = this.#shown.map(({ beforeText, afterText, ...rest }) => ({
      ...rest,
      before: readItem(beforeText),
      after: readItem(afterText),
    }));
    const inFull = JSON.stringify({ summary, items });
    const isShort = this.#shown.length <= AUDITED_ITEMS_MAX && inFull.length <= AUDITED_LENGTH_MAX;
    return { beforeText: null, afterText: isShort ? inFull : JSON.stringify({ summary }) };
  }
}

export function exceptionItemRow(
  namespace: string,
  { kind, match }: { readonly kind: ExceptionKind; readonly match: string },
  before: UnnumberedException | null,
  after: UnnumberedException | null,
): ItemRow {
  return {
    namespace,
    exception: { kind, match },
    beforeText: before === null ? null : exceptionItemText(before),
    afterText: after === null ? null : exceptionItemText(after),
  };
}
