import { EXCEPTION_KINDS, type ExceptionKind } from '../exceptions/rule-exception.ts';
import type { Rule } from '../namespace.ts';
import { canonicalJson } from './canonical-json.ts';
import type { ExceptionRules, NamespaceRules, ProjectRules } from './project-rules.ts';

/** One thing that has to be written. `before` null: it is new; `after` null: it goes. Never both. */
export type RulesWrite = NamespaceWrite | ExceptionWrite;

interface NamespaceWrite {
  readonly namespace: string;
  readonly exception: null;
  readonly before: Rule | null;
  readonly after: Rule | null;
}

export interface ExceptionWrite {
  readonly namespace: string;
  readonly exception: { readonly kind: ExceptionKind; readonly match: string };
  readonly before: ExceptionRules | null;
  readonly after: ExceptionRules | null;
}

export interface DifferenceOptions {
  /** Removes also namespaces that are not wanted, and exceptions that wanted sections don't have. */
  readonly prune: boolean;
  /** Exceptions that have expired are as if they weren't there, on both sides. */
  readonly nowMs: number;
}

/**
 * What must be written to get from the current rules to the wanted ones, in an order in which it can
 * be done, and undone from the end: a namespace before its exceptions where they come, after them
 * where they go. Exceptions of a namespace that goes are named too. Empty if nothing differs.
 *
 * A write with `before` null may meet a row of an exception that has expired: it takes its place.
 */
export function rulesDifference(
  current: ProjectRules,
  wanted: ProjectRules,
  { prune, nowMs }: DifferenceOptions,
): readonly RulesWrite[] {
  const kept = [...wanted.namespaces].flatMap(([name, after]) =>
    namespaceWrites(name, current.namespaces.get(name), after, { prune, nowMs }),
  );
  if (!prune) return kept;
  const gone = [...current.namespaces].filter(([name]) => !wanted.namespaces.has(name));
  return [...kept, ...gone.flatMap(([name, before]) => removal(name, before, nowMs))];
}

function namespaceWrites(
  namespace: string,
  before: NamespaceRules | undefined,
  after: NamespaceRules,
  options: DifferenceOptions,
): RulesWrite[] {
  const isSame = before !== undefined && sameRule(before.rule, after.rule);
  const own = { namespace, exception: null, before: before?.rule ?? null, after: after.rule };
  return [
    ...(isSame ? [] : [own]),
    ...EXCEPTION_KINDS.flatMap((kind) =>
      after.exceptions[kind] === undefined
        ? []
        : exceptionWrites(
            { namespace, kind },
            before?.exceptions[kind] ?? [],
            after.exceptions[kind],
            options,
          ),
    ),
  ];
}

function exceptionWrites(
  { namespace, kind }: { readonly namespace: string; readonly kind: ExceptionKind },
  before: readonly ExceptionRules[],
  after: readonly ExceptionRules[],
  { prune, nowMs }: DifferenceOptions,
): ExceptionWrite[] {
  const current = byMatch(before, nowMs);
  const wanted = byMatch(after, nowMs);
  const writes: ExceptionWrite[] = [];
  for (const [match, entry] of wanted) {
    const was = current.get(match) ?? null;
    if (was !== null && sameException(was, entry)) continue;
    writes.push({ namespace, exception: { kind, match }, before: was, after: entry });
  }
  if (!prune) return writes;
  for (const [match, was] of current) {
    if (wanted.has(match)) continue;
    writes.push({ namespace, exception: { kind, match }, before: was, after: null });
  }
  return writes;
}

function removal(namespace: string, { rule, exceptions }: NamespaceRules, nowMs: number): RulesWrite[] {
  const theirs = EXCEPTION_KINDS.flatMap((kind) =>
    exceptionWrites({ namespace, kind }, exceptions[kind] ?? [], [], { prune: true, nowMs }),
  );
  return [...theirs, { namespace, exception: null, before: rule, after: null }];
}

function byMatch(entries: readonly ExceptionRules[], nowMs: number): Map<string, ExceptionRules> {
  const inForce = entries.filter(({ expiresAtMs }) => expiresAtMs === null || nowMs < expiresAtMs);
  return new Map(inForce.map((entry) => [entry.match, entry]));
}

function sameRule(left: Rule, right: Rule): boolean {
  return canonicalJson(left.json) === canonicalJson(right.json);
}

function sameException(left: ExceptionRules, right: ExceptionRules): boolean {
  return (
    left.form === right.form &&
    left.reason === right.reason &&
    left.expiresAtMs === right.expiresAtMs &&
    sameLimits(left.limits, right.limits)
  );
}

/** The order in which an override names its limits means nothing. */
function sameLimits(left: ExceptionRules['limits'], right: ExceptionRules['limits']): boolean {
  if (left === null || right === null) return left === right;
  const byName = (limits: NonNullable<ExceptionRules['limits']>) =>
    canonicalJson([...limits].sort((a, b) => (a.name < b.name ? -1 : 1)));
  return byName(left) === byName(right);
}
