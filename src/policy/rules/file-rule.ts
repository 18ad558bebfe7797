import { LEASE_TTL_MS_MAX, LEASE_TTL_MS_MIN, WINDOW_MS_MAX } from '../../limiter/limit.ts';
import { formatDuration, parseDurationMs } from '../duration.ts';
import type { LimitJson, RuleJson } from '../rule-schema.ts';
import type { Fault, Path } from './fault.ts';
import type { FileLimitJson, NamespaceRulesJson } from './rules-schema.ts';

/** A limit's span: its name in a file, in the API, and what it can be. */
const SPANS = [
  { word: 'window', member: 'windowMs', minMs: 1, maxMs: WINDOW_MS_MAX },
  { word: 'ttl', member: 'ttlMs', minMs: LEASE_TTL_MS_MIN, maxMs: LEASE_TTL_MS_MAX },
] as const;

/** The rule that a namespace of a file has, as the API has it. */
export function fileRuleJson(
  { blocks, exemptions, overrides, limits, ...rest }: NamespaceRulesJson,
  path: Path,
): { readonly rule: RuleJson; readonly faults: readonly Fault[] } {
  if (limits === undefined) return { rule: rest, faults: [] };
  const faults = limits.flatMap((limit, index) => spanFaults(limit, [...path, 'limits', index]));
  return { rule: { ...rest, limits: limits.map(limitOf) }, faults };
}

function spanFaults(limit: FileLimitJson, path: Path): Fault[] {
  return SPANS.flatMap(({ word, member, minMs, maxMs }) => {
    const text = limit[word];
    if (text === undefined) return [];
    if (limit[member] !== undefined) {
      return [{ path: [...path, word], text: `can't stand beside ${member}: both say the same` }];
    }
    const spanMs = parseDurationMs(text);
    if (spanMs !== undefined && spanMs >= minMs && spanMs <= maxMs) return [];
    const bounds = `must be a duration from ${formatDuration(minMs)} to ${formatDuration(maxMs)}`;
    return [{ path: [...path, word], text: bounds }];
  });
}

function limitOf({ window, ttl, ...limit }: FileLimitJson): LimitJson {
  const windowMs = window === undefined ? undefined : parseDurationMs(window);
  const ttlMs = ttl === undefined ? undefined : parseDurationMs(ttl);
  return {
    ...limit,
    ...(windowMs !== undefined && { windowMs }),
    ...(ttlMs !== undefined && { ttlMs }),
  };
}
