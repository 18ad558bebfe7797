import {
  EXCEPTION_KINDS,
  type ExceptionKind,
  type RuleException,
} from '../../policy/exceptions/rule-exception.ts';
import type { Rule } from '../../policy/namespace.ts';
import type { ExceptionRules, ProjectRules } from '../../policy/rules/project-rules.ts';
import { isInForce } from './exception-rows.ts';
import { ROWS_PER_STATEMENT, selectSection } from './exceptions.ts';
import { type NamespaceRow, namespaceOf, selectNamespaces } from './namespaces.ts';
import type { SqlTransaction } from './sql.ts';

/** A project's rules as they stand in the database, with the rows that they stand in. */
export interface StoredRules extends ProjectRules {
  readonly namespaces: ReadonlyMap<string, StoredNamespaceRules>;
}

interface StoredNamespaceRules {
  readonly row: NamespaceRow;
  readonly rule: Rule;
  readonly exceptions: Readonly<Partial<Record<ExceptionKind, readonly RuleException[]>>>;
}

/**
 * Reads namespaces, and of each the kinds of exceptions that are asked for: what is not asked for may
 * be very many. Leaves out the expired ones. Rejects with `internal` if a rule can't be read.
 */
export async function readRules(
  transaction: SqlTransaction,
  { projectId, nowMs }: { readonly projectId: string; readonly nowMs: number },
  kindsOf: (namespace: string) => readonly ExceptionKind[] = () => EXCEPTION_KINDS,
): Promise<StoredRules> {
  const namespaces = new Map<string, StoredNamespaceRules>();
  for (const row of await selectNamespaces(transaction, projectId)) {
    const exceptions: Partial<Record<ExceptionKind, readonly RuleException[]>> = {};
    for (const kind of kindsOf(row.name)) {
      exceptions[kind] = await readSection(transaction, { namespaceId: row.id, kind }, nowMs);
    }
    namespaces.set(row.name, { row, rule: namespaceOf(row).rule, exceptions });
  }
  return { namespaces };
}

/** Without what only the database needs to know. */
export function plainRules({ namespaces }: StoredRules): ProjectRules {
  return {
    namespaces: new Map(
      [...namespaces].map(([name, { rule, exceptions }]) => [
        name,
        {
          rule,
          exceptions: Object.fromEntries(
            Object.entries(exceptions).map(([kind, entries]) => [kind, entries.map(plainException)]),
          ),
        },
      ]),
    ),
  };
}

function plainException({ form, match, limits, reason, expiresAtMs }: RuleException): ExceptionRules {
  return { form, match, limits, reason, expiresAtMs };
}

async function readSection(
  transaction: SqlTransaction,
  section: Pick<RuleException, 'namespaceId' | 'kind'>,
  nowMs: number,
): Promise<RuleException[]> {
  const exceptions: RuleException[] = [];
  for (let after = ''; ; ) {
    const page = await selectSection(transaction, section, after);
    exceptions.push(...page.filter((exception) => isInForce(exception, nowMs)));
    const last = page.at(-1);
    if (last === undefined || page.length < ROWS_PER_STATEMENT) return exceptions;
    after = last.match;
  }
}
