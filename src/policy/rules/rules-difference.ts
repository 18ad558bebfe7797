import { EXCEPTION_KINDS, type ExceptionKind } from '../exceptions/rule-exception.ts';
import type { Rule } from '../namespace.ts';
import { canonicalJson } from './canonical-json.ts';
import type { ExceptionRules, NamespaceRules, ProjectRules } from './project-rules.ts';
import { result, type Steps } from './steps.ts';

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
  return result(comparingRules(current, wanted, { prune, nowMs }));
}

/** As `rulesDifference`. */
export function* comparingRules(
  current: ProjectRules,
  wanted: ProjectRules,
  { prune, nowMs }: DifferenceOptions,
): Steps<readonly RulesWrite[]> {
  const writes: RulesWrite[] = [];
  for (const [name, after] of wanted.namespaces) {
    yield* namespaceWrites(writes, name, current.namespaces.get(name), after, { prune, nowMs });
  }
  if (!prune) return writes;
  for (const [name, before] of current.namespaces) {
    if (!wanted.namespaces.has(name)) yield* removal(writes, name, before, nowMs);
  }
  return writes;
}

function* namespaceWrites(
  writes: RulesWrite[],
  namespace: string,
  before: NamespaceRules | undefined,
  after: NamespaceRules,
  options: DifferenceOptions,
): Steps<void> {
  const isSame = before !== undefined && sameRule(before.rule, after.rule);
  if (!isSame) writes.push({ namespace, exception: null, before: before?.rule ?? null, after: after.rule });
  for (const kind of EXCEPTION_KINDS) {
    const wanted = after.exceptions[kind];
    if (wanted === undefined) continue;
    yield* exceptionWrites(writes, { namespace, kind }, before?.exceptions[kind] ?? [], wanted, options);
  }
}

function* exceptionWrites(
  writes: RulesWrite[],
  { namespace, kind }: { readonly namespace: string; readonly kind: ExceptionKind },
  before: readonly ExceptionRules[],
  after: readonly ExceptionRules[],
  { prune, nowMs }: DifferenceOptions,
): Steps<void> {
  const current = yield* byMatch(before, nowMs);
  const wanted = yield* byMatch(after, nowMs);
  for (const [match, entry] of wanted) {
    yield;
    const was = current.get(match) ?? null;
    if (was !== null && sameException(was, entry)) continue;
    writes.push({ namespace, exception: { kind, match }, before: was, after: entry });
  }
  if (!prune) return;
  for (const [match, was] of current) {
    yield;
    if (wanted.has(match)) continue;
    writes.push({ namespace, exception: { kind, match }, before: was, after: null });
  }
}

function* removal(
  writes: RulesWrite[],
  namespace: string,
  { rule, exceptions }: NamespaceRules,
  nowMs: number,
): Steps<void> {
  for (const kind of EXCEPTION_KINDS) {
    yield* exceptionWrites(writes, { namespace, kind }, exceptions[kind] ?? [], [], { prune: true, nowMs });
  }
  writes.push({ namespace, exception: null, before: rule, after: null });
}

function* byMatch(entries: readonly ExceptionRules[], nowMs: number): Steps<Map<string, ExceptionRules>> {
  const inForce = new Map<string, ExceptionRules>();
  for (const entry of entries) {
    yield;
    if (entry.expiresAtMs === null || nowMs < entry.expiresAtMs) inForce.set(entry.match, entry);
  }
  return inForce;
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
