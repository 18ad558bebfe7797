import type { AppliedRules, ChangeItem, CountsEffect } from '../../../client/rules.ts';
import { isForEverybody } from '../../../policy/exceptions/everybody.ts';
import type { ExceptionKind } from '../../../policy/exceptions/rule-exception.ts';
import { type MemberChange, memberChanges } from '../../../policy/rules/member-changes.ts';

/** More of them are counted, not shown. */
const EXCEPTIONS_SHOWN_MAX = 100;

/** What a change does, member by member, and what it means for the counts in use. */
export function changeText({
  items,
  effects = [],
}: Pick<AppliedRules, 'items'> & Partial<Pick<AppliedRules, 'effects'>>): string {
  const exceptions = items.filter(({ exception }) => exception !== null);
  const hidden = exceptions.length - EXCEPTIONS_SHOWN_MAX;
  return [
    ...items.filter(({ exception }) => exception === null).flatMap((item) => namespaceLines(item, effects)),
    ...exceptions.slice(0, EXCEPTIONS_SHOWN_MAX).map(exceptionLine),
    ...exceptions.filter(deniesEverybody).map(everybodyLine),
    ...(hidden > 0 ? [`… and ${hidden} more blocks, exemptions and overrides; --json shows all`] : []),
  ].join('\n');
}

function namespaceLines(item: ChangeItem, effects: readonly CountsEffect[]): string[] {
  const head = `${sign(item)} namespace ${item.namespace}`;
  const lines = item.after === null ? [] : changesOf(item).map((change) => `    ${memberText(change, ': ')}`);
  const own = effects.filter(({ namespace }) => namespace === item.namespace);
  return [head, ...lines, ...own.map(effectText)];
}

function effectText({ limit, text }: CountsEffect): string {
  return limit === null ? `    => ${text}` : `    => ${limit}: ${text}`;
}

function exceptionLine(item: ChangeItem): string {
  const { namespace, exception } = item;
  const changes = item.after === null ? [] : changesOf(item);
  const said = changes.map((change) => memberText(change, ' ')).join(', ');
  return `${sign(item)} ${exception?.kind} ${exception?.match} in ${namespace}${said === '' ? '' : `: ${said}`}`;
}

function deniesEverybody({ exception, before, after }: ChangeItem): boolean {
  const isNew = before === null && after !== null;
  return isNew && exception?.kind === 'block' && isForEverybody(exception.match);
}

function everybodyLine({ namespace, exception }: ChangeItem): string {
  return `Warning: a block of ${exception?.match} denies everybody in ${namespace}.`;
}

function sign({ before, after }: ChangeItem): string {
  if (before === null) return '+';
  return after === null ? '-' : '~';
}

function memberText({ member, before, after }: MemberChange, separator: string): string {
  if (before === undefined) return `${member}${separator}${after}`;
  return `${member}${separator}${before} → ${after ?? 'not said'}`;
}

function changesOf({ exception, ...item }: ChangeItem): MemberChange[] {
  const kind = exception?.kind as ExceptionKind;
  return memberChanges({ ...item, exception: exception === null ? null : { ...exception, kind } });
}
