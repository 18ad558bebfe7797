import type { ChangeRecord } from './change-record.ts';
import { deleteNamespace, insertNamespace, type NamespaceRow, updateNamespace } from './namespaces.ts';
import { randomId } from './random-id.ts';
import { listExpiredAsRemoved } from './removed-exceptions.ts';
import { namespaceItemText, ruleTextOf, type StoredNamespaceItem } from './stored-items.ts';

/** Writes and records. Rejects with `conflict` if the name is taken. */
export async function addNamespace(
  record: ChangeRecord,
  name: string,
  ruleText: string,
): Promise<NamespaceRow> {
  const { nowMs } = record.change;
  const id = randomId('ns');
  return insert(record, { id, name, ruleText, version: 1, createdAtMs: nowMs });
}

/** Puts a namespace back that is gone, with its id, so that its counts are its own again. */
export function restoreNamespace(
  record: ChangeRecord,
  name: string,
  item: StoredNamespaceItem,
): Promise<NamespaceRow> {
  const { id, createdAtMs } = item;
  // A number that no version of it ever had: no change counts higher than revisions do.
  return insert(record, {
    id,
    name,
    ruleText: ruleTextOf(item),
    version: record.change.revision,
    createdAtMs,
  });
}

export async function changeNamespace(
  record: ChangeRecord,
  before: NamespaceRow,
  ruleText: string,
): Promise<NamespaceRow> {
  const { transaction, nowMs } = record.change;
  const after = { ...before, ruleText, version: before.version + 1, updatedAtMs: nowMs };
  await updateNamespace(transaction, after);
  await record.add([itemOf(before.name, before, after)]);
  return after;
}

/** With its exceptions, which are recorded too. */
export async function removeNamespace(record: ChangeRecord, namespace: NamespaceRow): Promise<void> {
  await listExpiredAsRemoved(record.change, namespace.id);
  await record.removeAllOf(namespace);
  await record.add([itemOf(namespace.name, namespace, null)]);
  await deleteNamespace(record.change.transaction, namespace.id);
}

async function insert(
  record: ChangeRecord,
  row: Omit<NamespaceRow, 'projectId' | 'updatedAtMs'>,
): Promise<NamespaceRow> {
  const { projectId } = record;
  const namespace = { ...row, projectId, updatedAtMs: record.change.nowMs };
  await insertNamespace(record.change.transaction, namespace);
  await record.add([itemOf(row.name, null, namespace)]);
  return namespace;
}

function itemOf(namespace: string, before: NamespaceRow | null, after: NamespaceRow | null) {
  return {
    namespace,
    exception: null,
    beforeText: before === null ? null : namespaceItemText(before),
    afterText: after === null ? null : namespaceItemText(after),
  };
}
