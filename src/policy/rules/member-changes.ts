import type { ExceptionItemJson, NamespaceItemJson } from './change-items.ts';
import { fileNamespace } from './rules-json.ts';
import type { ChangeItem } from './rules-store.ts';
import { flow } from './rules-yaml.ts';

/** One member that a change changes, in the words of a file; undefined where it isn't said. */
export interface MemberChange {
  /** `limits.minute.window` */
  readonly member: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Member by member what an item changes; limits and quotas are told apart by their names. */
export function memberChanges({ exception, before, after }: ChangeItem): MemberChange[] {
  const flatten = exception === null ? namespaceMembers : exceptionMembers;
  const old = new Map(flatten(before));
  const now = new Map(flatten(after));
  return [...new Set([...old.keys(), ...now.keys()])]
    .map((member) => ({ member, before: valueIn(old, member), after: valueIn(now, member) }))
    .filter((change) => change.before !== change.after && !goesWithoutSaying(change));
}

const WITHOUT_END = 'without end';

/** What holds where a file doesn't say it, by the last part of a member's name. */
const UNSAID: Readonly<Record<string, string>> = {
  ipv6Prefix: '64',
  mode: 'enforce',
  burst: 'as limit',
  until: WITHOUT_END,
};

function valueIn(members: ReadonlyMap<string, string>, member: string): string | undefined {
  const said = members.get(member);
  if (said !== undefined) return said;
  const end = member.lastIndexOf('.') + 1;
  const around = member.slice(0, end);
  const isThere = [...members.keys()].some((name) => name.startsWith(around));
  return isThere ? UNSAID[member.slice(end)] : undefined;
}

/** Of what is new. */
function goesWithoutSaying({ member, before, after }: MemberChange): boolean {
  return (
    before === undefined && after !== undefined && after === UNSAID[member.slice(member.lastIndexOf('.') + 1)]
  );
}

function namespaceMembers(json: unknown): [string, string][] {
  if (json === null) return [];
  const { limits = [], quotas = [], ...rest } = fileNamespace((json as NamespaceItemJson).rule);
  return [
    ...members('', rest),
    ...limits.flatMap(({ name = 'default', ...limit }) => members(`limits.${name}.`, limit)),
    ...quotas.flatMap(({ name, ...quota }) => members(`quotas.${name ?? quota.period}.`, quota)),
  ];
}

function exceptionMembers(json: unknown): [string, string][] {
  if (json === null) return [];
  const { limits = [], reason, expiresAt } = json as ExceptionItemJson;
  return [
    ...limits.flatMap(({ name, ...limit }) => members(`limits.${name}.`, limit)),
    ['until', expiresAt === null ? WITHOUT_END : expiresAt.replace('.000Z', 'Z')],
    ...(reason === '' ? [] : members('', { reason })),
  ];
}

function members(prefix: string, object: object): [string, string][] {
  return Object.entries(object).map(([name, value]) => [`${prefix}${name}`, flow(value)]);
}
