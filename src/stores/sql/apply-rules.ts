import type { RuleException } from '../../policy/exceptions/rule-exception.ts';
import { EXCEPTION_KINDS } from '../../policy/exceptions/rule-exception.ts';
import type { Rule } from '../../policy/namespace.ts';
import { itemOf } from '../../policy/rules/change-items.ts';
import type { ProjectRules } from '../../policy/rules/project-rules.ts';
import { comparingRules, type ExceptionWrite, type RulesWrite } from '../../policy/rules/rules-difference.ts';
import type { ChangeItem } from '../../policy/rules/rules-store.ts';
import { inTurns, mapping, type Steps } from '../../policy/rules/steps.ts';
import type { Undecided } from './change.ts';
import type { ChangeRecord } from './change-record.ts';
import {
  assertPatternsFit,
  type PlannedException,
  replacement,
  writeExceptions,
} from './exception-writes.ts';
import { addNamespace, changeNamespace, removeNamespace } from './namespace-writes.ts';
import { textOfRule } from './namespaces.ts';
import { readRules, type StoredRules } from './stored-rules.ts';

/** What has to be written, and what it is to be compared with. */
export interface PlannedRules {
  readonly stored: StoredRules;
  readonly writes: readonly RulesWrite[];
}

/** Compares with what is stored; reads no section of exceptions that the rules leave alone. */
export async function planRules(
  { transaction, nowMs }: Pick<Undecided, 'transaction' | 'nowMs'>,
  projectId: string,
  rules: ProjectRules,
  { prune }: { readonly prune: boolean },
): Promise<PlannedRules> {
  const stored = await readRules(transaction, { projectId, nowMs }, (name) => {
    const wanted = rules.namespaces.get(name);
    if (wanted === undefined) return prune ? EXCEPTION_KINDS : [];
    return EXCEPTION_KINDS.filter((kind) => wanted.exceptions[kind] !== undefined);
  });
  return { stored, writes: await inTurns(comparingRules(stored, rules, { prune, nowMs })) };
}

/** As they are shown; new namespaces have no id yet. */
export function plannedItems({ stored, writes }: PlannedRules): Promise<readonly ChangeItem[]> {
  return inTurns(mapping(writes, (write) => itemOf(write, stored.namespaces.get(write.namespace)?.row.id)));
}

/** Writes and records. Resolves with what was written, as it is shown. */
export async function writeRules(
  record: ChangeRecord,
  { stored, writes }: PlannedRules,
): Promise<readonly ChangeItem[]> {
  const ids = new Map([...stored.namespaces].map(([name, { row }]) => [name, row.id]));
  const gone = new Set<string>();
  for (const write of writes) {
    if (write.exception !== null) continue;
    if (write.after === null) gone.add(write.namespace);
    else ids.set(write.namespace, await writeNamespace(record, stored, write.namespace, write.after));
  }
  const exceptions = writes.filter(
    (write): write is ExceptionWrite => write.exception !== null && !gone.has(write.namespace),
  );
  const planned = await inTurns(planningExceptions(record, stored, exceptions, ids));
  await writeExceptions(record, planned);
  for (const name of gone) {
    const known = stored.namespaces.get(name);
    if (known !== undefined) await removeNamespace(record, known.row);
  }
  await assertPatternsFit(
    record.change,
    planned.flatMap(({ after }) => (after === null ? [] : [after])),
  );
  return inTurns(mapping(writes, (write) => itemOf(write, ids.get(write.namespace))));
}

/** Resolves with its id. */
async function writeNamespace(
  record: ChangeRecord,
  stored: StoredRules,
  namespace: string,
  rule: Rule,
): Promise<string> {
  const known = stored.namespaces.get(namespace);
  const ruleText = textOfRule(rule);
  const { id } =
    known === undefined
      ? await addNamespace(record, namespace, ruleText)
      : await changeNamespace(record, known.row, ruleText);
  return id;
}

function* planningExceptions(
  { author, change }: ChangeRecord,
  stored: StoredRules,
  writes: readonly ExceptionWrite[],
  ids: ReadonlyMap<string, string>,
): Steps<PlannedException[]> {
  const rows = new Map<string, RuleException>();
  for (const [name, { exceptions }] of stored.namespaces) {
    for (const section of Object.values(exceptions)) {
      for (const row of section) {
        yield;
        rows.set(placeOf(name, row), row);
      }
    }
  }
  return yield* mapping(writes, ({ namespace, exception, after }) => {
    const namespaceId = ids.get(namespace);
    if (namespaceId === undefined) throw new Error(`an exception of no namespace: ${namespace}`);
    const key = { namespaceId, ...exception };
    const before = rows.get(placeOf(namespace, exception)) ?? null;
    return {
      namespace,
      key,
      before,
      after: after === null ? null : replacement(before, key, after, { author, nowMs: change.nowMs }),
    };
  });
}

/** Neither names nor kinds have a blank in them. */
function placeOf(namespace: string, { kind, match }: Pick<RuleException, 'kind' | 'match'>): string {
  return `${namespace} ${kind} ${match}`;
}
