import { BrumeError } from '../../errors/catalogue.ts';
import type { Rule } from '../namespace.ts';
import { parseRule } from '../rule-input.ts';
import type { RuleJson } from '../rule-schema.ts';
import { namesOf } from './limit-override-input.ts';
import type { LimitOverride } from './rule-exception.ts';

type OverrideMember = 'limit' | 'burst' | 'mode';

/** A part of an override that the rule has no place for any more. */
interface WithoutEffect {
  readonly name: string;
  /** Empty: the rule has no limit or quota of this name. */
  readonly members: readonly OverrideMember[];
}

export interface OverriddenRule {
  /** Frozen. The rule itself if nothing of the override has an effect. */
  readonly rule: Rule;
  readonly withoutEffect: readonly WithoutEffect[];
}

/** A burst goes first where not all of it fits: only buckets have one. */
const MEMBERS = ['limit', 'mode', 'burst'] as const satisfies readonly OverrideMember[];

/**
 * The rule with the numbers of an override in place of its own. An override outlives changes of the
 * rule: what no longer fits is left out. Never throws, whatever a store holds.
 */
export function overriddenRule(rule: Rule, limits: readonly LimitOverride[]): OverriddenRule {
  const names = namesOf(rule.json);
  const known = limits.filter(({ name }) => names.includes(name));
  const withoutEffect: WithoutEffect[] = limits
    .filter((limit) => !known.includes(limit))
    .map(({ name }) => ({ name, members: [] }));
  if (known.length === 0) return { rule, withoutEffect };
  const whole = parsed(known.reduce((json, override) => merged(json, override, MEMBERS), rule.json));
  if (whole !== undefined) return { rule: whole, withoutEffect };
  let result = rule;
  for (const override of known) {
    const { rule: next, left } = fitted(result, override);
    result = next;
    if (left.length > 0) withoutEffect.push({ name: override.name, members: left });
  }
  return { rule: result, withoutEffect };
}

/** As much of one limit's override as fits. */
function fitted(rule: Rule, override: LimitOverride): { rule: Rule; left: readonly OverrideMember[] } {
  const said = MEMBERS.filter((member) => override[member] !== undefined);
  const all = parsed(merged(rule.json, override, said));
  if (all !== undefined) return { rule: all, left: [] };
  let result = rule;
  const left: OverrideMember[] = [];
  for (const member of said) {
    const next = parsed(merged(result.json, override, [member]));
    if (next === undefined) left.push(member);
    else result = next;
  }
  return { rule: result, left };
}

function parsed(json: RuleJson): Rule | undefined {
  try {
    return parseRule(json);
  } catch (error) {
    if (error instanceof BrumeError) return undefined;
    throw error;
  }
}

function merged(json: RuleJson, override: LimitOverride, members: readonly OverrideMember[]): RuleJson {
  const said = Object.fromEntries(
    members.flatMap((member) => (override[member] === undefined ? [] : [[member, override[member]]])),
  );
  const merge = <Json extends { readonly name?: string }>(own: Json): Json =>
    own.name === override.name ? { ...own, ...said } : own;
  return { ...json, limits: (json.limits ?? []).map(merge), quotas: (json.quotas ?? []).map(merge) };
}
