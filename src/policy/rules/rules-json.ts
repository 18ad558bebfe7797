import { BrumeError } from '../../errors/catalogue.ts';
import { formatDuration } from '../duration.ts';
import { namesOf } from '../exceptions/limit-override-input.ts';
import { EXCEPTION_KINDS, type ExceptionKind } from '../exceptions/rule-exception.ts';
import type { Rule } from '../namespace.ts';
import type { LimitJson, QuotaJson, RuleJson } from '../rule-schema.ts';
import { exceptionParser, type ParseException } from './exception-parser.ts';
import { SECTIONS } from './exceptions-input.ts';
import type { ExceptionRules, NamespaceRules, ProjectRules } from './project-rules.ts';
import type {
  FileExceptionJson,
  FileLimitJson,
  NamespaceRulesJson,
  ProjectRulesJson,
} from './rules-schema.ts';
import type { Steps } from './steps.ts';

/** An exception, or a part of one, that a file can't say: it has no effect under its namespace's rule. */
interface LeftOut {
  readonly namespace: string;
  readonly kind: ExceptionKind;
  readonly match: string;
}

export interface ExportedRules {
  readonly rules: ProjectRulesJson;
  readonly leftOut: readonly LeftOut[];
}

/**
 * A project's rules as a file says them, in the form that reads best; the order is always the same.
 * Exceptions that have expired are not told. Applied, it changes nothing.
 */
export function* exportingRules(project: string, rules: ProjectRules, nowMs: number): Steps<ExportedRules> {
  const namespaces: Record<string, NamespaceRulesJson> = {};
  const leftOut: LeftOut[] = [];
  for (const [name, namespace] of [...rules.namespaces].sort(([left], [right]) => compare(left, right))) {
    const sections: Partial<Record<(typeof SECTIONS)[ExceptionKind], FileExceptionJson[]>> = {};
    for (const kind of EXCEPTION_KINDS) {
      const entries = yield* section(name, kind, namespace, { nowMs, leftOut });
      if (entries.length > 0) sections[SECTIONS[kind]] = entries;
    }
    namespaces[name] = { ...fileNamespace(namespace.rule.json), ...sections } as NamespaceRulesJson;
  }
  return { rules: { project, namespaces }, leftOut };
}

function* section(
  namespace: string,
  kind: ExceptionKind,
  { rule, exceptions }: NamespaceRules,
  { nowMs, leftOut }: { readonly nowMs: number; readonly leftOut: LeftOut[] },
): Steps<FileExceptionJson[]> {
  const inForce = (exceptions[kind] ?? []).filter(
    ({ expiresAtMs }) => expiresAtMs === null || nowMs < expiresAtMs,
  );
  const parse = exceptionParser(rule);
  const entries: FileExceptionJson[] = [];
  for (const entry of inForce.sort((left, right) => compare(left.match, right.match))) {
    yield;
    const said = withEffect(entry, rule);
    const json = said === undefined || !isTaken(said, parse) ? undefined : fileException(said);
    if (json !== undefined) entries.push(json);
    if (json === undefined || said !== entry) leftOut.push({ namespace, kind, match: entry.match });
  }
  return entries;
}

/** Without the limits that the rule has no more; undefined if nothing is left. */
function withEffect(entry: ExceptionRules, rule: Rule): ExceptionRules | undefined {
  if (entry.limits === null) return entry;
  const names = namesOf(rule.json);
  const limits = entry.limits.filter(({ name }) => names.includes(name));
  if (limits.length === entry.limits.length) return entry;
  return limits.length === 0 ? undefined : { ...entry, limits };
}

/** A rule may have changed so that what was said of single identifiers can't be said any more. */
function isTaken({ form, match, limits }: ExceptionRules, parse: ParseException): boolean {
  try {
    const parsed = parse({ match, ...(limits !== null && { limits: [...limits] }) });
    return parsed.form === form && parsed.match === match;
  } catch (error) {
    if (error instanceof BrumeError) return false;
    throw error;
  }
}

/** An exception as a file says it. */
function fileException({ match, limits, reason, expiresAtMs }: ExceptionRules): FileExceptionJson {
  return {
    match,
    ...(limits !== null && { limits: [...limits] }),
    ...(expiresAtMs !== null && { until: timeText(expiresAtMs) }),
    ...(reason !== '' && { reason }),
  };
}

/** A rule as a file says it: windows as durations, nothing that goes without saying. */
export function fileNamespace(rule: RuleJson): NamespaceRulesJson {
  const { kind = 'text', ipv6Prefix = IPV6_PREFIX_DEFAULT, identifyBy, onStoreFailure, mode } = rule;
  const { limits = [], quotas = [] } = rule;
  return {
    kind,
    ...(ipv6Prefix !== IPV6_PREFIX_DEFAULT && { ipv6Prefix }),
    ...(identifyBy !== undefined && { identifyBy }),
    ...(onStoreFailure !== undefined && { onStoreFailure }),
    ...saidMode(mode),
    ...(limits.length > 0 && { limits: limits.map(fileLimit) }),
    ...(quotas.length > 0 && { quotas: quotas.map(fileQuota) }),
  };
}

const IPV6_PREFIX_DEFAULT = 64;

function fileLimit({ name, algorithm, limit, windowMs, ttlMs, burst, mode }: LimitJson): FileLimitJson {
  return {
    ...(name !== undefined && { name }),
    algorithm,
    limit,
    ...(windowMs !== undefined && { window: formatDuration(windowMs) }),
    ...(ttlMs !== undefined && { ttl: formatDuration(ttlMs) }),
    ...(burst !== undefined && { burst }),
    ...saidMode(mode),
  };
}

function fileQuota({ name, limit, period, timeZone, anchor, mode }: QuotaJson): QuotaJson {
  return {
    ...(name !== undefined && name !== period && { name }),
    limit,
    period,
    ...(timeZone !== undefined && { timeZone }),
    ...(anchor !== undefined && { anchor }),
    ...saidMode(mode),
  };
}

function saidMode(mode: RuleJson['mode']): Pick<RuleJson, 'mode'> {
  return mode === undefined || mode === 'enforce' ? {} : { mode };
}

function timeText(epochMs: number): string {
  return new Date(epochMs).toISOString().replace('.000Z', 'Z');
}

function compare(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
