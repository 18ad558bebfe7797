import { BrumeError } from '../../errors/catalogue.ts';
import { PATTERNS_PER_NAMESPACE_MAX } from '../../policy/exceptions/match.ts';
import type { RuleException } from '../../policy/exceptions/rule-exception.ts';
import type { Change } from './change.ts';
import { type ChangeRecord, exceptionItemRow } from './change-record.ts';
import type { ExceptionKey, UnnumberedException } from './exception-rows.ts';
import { countPatterns, deleteExceptions, ROWS_PER_STATEMENT, upsertExceptions } from './exceptions.ts';
import { randomId } from './random-id.ts';
import { listAsRemoved } from './removed-exceptions.ts';

/** `before` null: none that is in force. Never both null. */
export interface PlannedException {
  /** Its name. */
  readonly namespace: string;
  readonly key: ExceptionKey;
  readonly before: UnnumberedException | null;
  readonly after: UnnumberedException | null;
}

/** What stands in the place of `before`, or is new. */
export function replacement(
  before: UnnumberedException | null,
  key: ExceptionKey,
  wanted: Pick<RuleException, 'form' | 'limits' | 'reason' | 'expiresAtMs'>,
  { author, nowMs }: { readonly author: string; readonly nowMs: number },
): UnnumberedException {
  return {
    id: before?.id ?? randomId('ex'),
    namespaceId: key.namespaceId,
    kind: key.kind,
    form: wanted.form,
    match: key.match,
    limits: wanted.limits,
    reason: wanted.reason,
    author,
    createdAtMs: before?.createdAtMs ?? nowMs,
    updatedAtMs: nowMs,
    expiresAtMs: wanted.expiresAtMs,
  };
}

/** Writes and records, in portions. No key twice. */
export async function writeExceptions(
  record: ChangeRecord,
  planned: readonly PlannedException[],
): Promise<void> {
  for (let from = 0; from < planned.length; from += ROWS_PER_STATEMENT) {
    await writePortion(record, planned.slice(from, from + ROWS_PER_STATEMENT));
  }
}

async function writePortion(record: ChangeRecord, planned: readonly PlannedException[]): Promise<void> {
  const written = planned.flatMap(({ after }) => (after === null ? [] : [after]));
  const removed = planned.filter(({ after }) => after === null).map(({ key }) => key);
  await record.add(
    planned.map(({ namespace, key, before, after }) => exceptionItemRow(namespace, key, before, after)),
  );
  if (written.length > 0) await upsertExceptions(record.change, written);
  if (removed.length === 0) return;
  await deleteExceptions(record.change.transaction, removed);
  await listAsRemoved(record.change, removed);
}

/** Rejects with `bad_request` if a namespace has more patterns than it may. Comes after the writes. */
export async function assertPatternsFit(
  { transaction, nowMs }: Change,
  written: readonly Pick<RuleException, 'namespaceId' | 'form'>[],
): Promise<void> {
  const withPatterns = written.filter(({ form }) => form === 'pattern').map(({ namespaceId }) => namespaceId);
  for (const namespaceId of new Set(withPatterns)) {
    if ((await countPatterns(transaction, namespaceId, nowMs)) <= PATTERNS_PER_NAMESPACE_MAX) continue;
    const most = `a namespace has at most ${PATTERNS_PER_NAMESPACE_MAX} patterns with *`;
    throw new BrumeError('bad_request', {
      field: 'match',
      detail: `match must not be one more pattern: ${most}. Remove some, or say the same with fewer.`,
    });
  }
}
