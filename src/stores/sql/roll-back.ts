import { canonicalJson } from '../../policy/rules/canonical-json.ts';
import type { Change, Deed, Undecided } from './change.ts';
import { itemPages, selectNamespaceItems, startOf } from './change-items.ts';
import { ChangeRecord } from './change-record.ts';
import { isInForce, type UnnumberedException } from './exception-rows.ts';
import { type PlannedException, writeExceptions } from './exception-writes.ts';
import { selectExceptionsByKey } from './exceptions.ts';
import { changeNamespace, removeNamespace, restoreNamespace } from './namespace-writes.ts';
import { type NamespaceRow, selectNamespaces } from './namespaces.ts';
import { listAsRemoved } from './removed-exceptions.ts';
import {
  exceptionItemText,
  type ItemRow,
  readItem,
  ruleTextOf,
  type StoredExceptionItem,
  type StoredNamespaceItem,
} from './stored-items.ts';

interface RollBackTo {
  readonly projectId: string;
  readonly revision: number;
  /** The project's last change. */
  readonly last: number;
}

/**
 * Puts back what a project had after a change. What was changed since is found in the history: the
 * first change since then of a thing says how it was. Resolves with the change that it took, or
 * undefined if everything is as it was.
 */
export async function rollBackTo(
  undecided: Undecided,
  to: RollBackTo,
): Promise<{ readonly change: Change; readonly deed: Deed } | undefined> {
  const rollBack = new RollBack(undecided, to);
  await rollBack.namespaces();
  await rollBack.exceptions();
  return rollBack.close();
}

class RollBack {
  readonly #undecided: Undecided;
  readonly #to: RollBackTo;
  /** As they are by now. */
  readonly #namespaces = new Map<string, NamespaceRow>();
  readonly #restored = new Set<string>();
  #record: ChangeRecord | undefined;

  constructor(undecided: Undecided, to: RollBackTo) {
    this.#undecided = undecided;
    this.#to = to;
  }

  async namespaces(): Promise<void> {
    const { transaction } = this.#undecided;
    const { projectId, revision, last } = this.#to;
    for (const row of await selectNamespaces(transaction, projectId)) this.#namespaces.set(row.name, row);
    const seen = new Set<string>();
    const since = { after: revision, upTo: last };
    for (const { namespace, beforeText } of await selectNamespaceItems(transaction, projectId, since)) {
      if (seen.has(namespace)) continue;
      seen.add(namespace);
      await this.#namespace(namespace, readItem<StoredNamespaceItem>(beforeText));
    }
  }

  async #namespace(name: string, then: StoredNamespaceItem | null): Promise<void> {
    const now = this.#namespaces.get(name);
    if (now !== undefined && now.id === then?.id) {
      const ruleText = ruleTextOf(then);
      if (now.ruleText === ruleText) return;
      this.#namespaces.set(name, await changeNamespace(await this.#begun(), now, ruleText));
      return;
    }
    if (now !== undefined) {
      await removeNamespace(await this.#begun(), now);
      this.#namespaces.delete(name);
    }
    if (then === null) return;
    this.#namespaces.set(name, await restoreNamespace(await this.#begun(), name, then));
    this.#restored.add(name);
  }

  async exceptions(): Promise<void> {
    const { transaction } = this.#undecided;
    const { projectId, revision, last: upTo } = this.#to;
    const seen = new Set<string>();
    const since = { after: startOf(revision + 1), upTo };
    for await (const page of itemPages(transaction, projectId, since)) {
      await this.#exceptionsOf(page.filter((item) => isFirst(item, seen)));
    }
  }

  async #exceptionsOf(items: readonly ItemRow[]): Promise<void> {
    const { transaction, nowMs } = this.#undecided;
    const wanted = items.flatMap((item) => this.#wanted(item));
    const rows = await selectExceptionsByKey(
      transaction,
      wanted.map(({ key }) => key),
    );
    const inForce = new Map(rows.filter((row) => isInForce(row, nowMs)).map((row) => [placeOf(row), row]));
    const compared = wanted.map(
      ({ key, ...rest }): PlannedException => ({
        ...rest,
        key,
        before: inForce.get(placeOf(key)) ?? null,
      }),
    );
    const planned = compared.filter(({ before, after }) => stateOf(before) !== stateOf(after));
    if (planned.length > 0) await writeExceptions(await this.#begun(), planned);
    await this.#listGone(compared);
  }

  /** Nothing where the namespace isn't there (any more). What has expired by now doesn't return. */
  #wanted({ namespace, exception, beforeText }: ItemRow): Omit<PlannedException, 'before'>[] {
    const row = this.#namespaces.get(namespace);
    if (row === undefined || exception === null) return [];
    const then = readItem<StoredExceptionItem>(beforeText);
    const key = { namespaceId: row.id, ...exception };
    const isBack = then !== null && isInForce(then, this.#undecided.nowMs);
    return [{ namespace, key, after: isBack ? { ...key, ...then } : null }];
  }

  /**
   * A node that missed that a namespace was away still has the exceptions that didn't return with it:
   * their removal was not listed when the namespace was removed.
   */
  async #listGone(compared: readonly PlannedException[]): Promise<void> {
    const gone = compared.filter(
      ({ namespace, before, after }) => before === null && after === null && this.#restored.has(namespace),
    );
    if (gone.length === 0) return;
    const { change } = await this.#begun();
    await listAsRemoved(
      change,
      gone.map(({ key }) => key),
    );
  }

  async close(): Promise<{ readonly change: Change; readonly deed: Deed } | undefined> {
    if (this.#record === undefined) return undefined;
    const { change } = this.#record;
    const target = String(this.#to.revision);
    return { change, deed: await this.#record.close({ action: 'rules.rollback', target }) };
  }

  async #begun(): Promise<ChangeRecord> {
    const { projectId } = this.#to;
    this.#record ??= new ChangeRecord(await this.#undecided.begin(), projectId);
    return this.#record;
  }
}

/** What it says, whatever the number of the change that said so. */
function stateOf(exception: UnnumberedException | null): string {
  return exception === null ? '' : canonicalJson(JSON.parse(exceptionItemText(exception)));
}

function placeOf({ namespaceId, kind, match }: PlannedException['key']): string {
  return `${namespaceId} ${kind} ${match}`;
}

/** Of an exception, and none of the same came before it. Neither names nor kinds have a blank in them. */
function isFirst({ namespace, exception }: ItemRow, seen: Set<string>): boolean {
  if (exception === null) return false;
  const place = `${namespace} ${exception.kind} ${exception.match}`;
  if (seen.has(place)) return false;
  seen.add(place);
  return true;
}
