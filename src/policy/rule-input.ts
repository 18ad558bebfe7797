import type { Limit, Mode } from '../limiter/limit.ts';
import { identifyByText, parseIdentifyBy } from './identify-by.ts';
import { parseLimit } from './limit-input.ts';
import type { Rule } from './namespace.ts';
import { completeQuota, parseQuota } from './quota-input.ts';
import { LIMITS_PER_RULE_MAX, type ModeJson, type RuleJson, ruleJson } from './rule-schema.ts';
import { assertSchema, badMember } from './schema-fault.ts';

/** IPv6 hosts commonly own a whole /64. */
const IPV6_PREFIX_DEFAULT = 64;

/**
 * Checks a rule's JSON, completes it with defaults and freezes it to the bottom.
 * Throws BrumeError `bad_request` that names the member at fault: `rule.limits[1].burst`.
 */
export function parseRule(input: unknown): Rule {
  assertRuleJson(input);
  const json = completed(input);
  const { kind = 'text', ipv6Prefix = IPV6_PREFIX_DEFAULT, onStoreFailure = 'open' } = json;
  return Object.freeze({
    kind,
    ipv6Prefix,
    identifyBy: Object.freeze(parseIdentifyBy(json.identifyBy ?? 'address', 'rule.identifyBy')),
    onStoreFailure,
    limits: Object.freeze(parseAll(json)),
    json: Object.freeze(json),
  });
}

/**
 * As parseRule, for a rule that somebody asks for: refuses also what could never work. Rules that
 * are stored already are not judged anew.
 */
export function acceptRule(input: unknown): Rule {
  const rule = parseRule(input);
  const { by } = rule.identifyBy;
  if (rule.kind === 'ip' && (by === 'path' || by === 'key')) {
    throw badMember('rule.identifyBy', `can't be ${by} where rule.kind is ip: a ${by} is no address`);
  }
  return rule;
}

/** The complete JSON of a rule: `parseRule(ruleToJson(rule))` equals `rule`. */
export function ruleToJson(rule: Rule): RuleJson {
  return rule.json;
}

function assertRuleJson(input: unknown): asserts input is RuleJson {
  assertSchema(ruleJson, input, 'rule');
}

/** The JSON with every default written out. */
function completed(json: RuleJson): RuleJson {
  const { limits = [], quotas = [] } = json;
  const isOnly = limits.length === 1;
  return {
    kind: json.kind ?? 'text',
    ipv6Prefix: json.ipv6Prefix ?? IPV6_PREFIX_DEFAULT,
    identifyBy: identifyByText(parseIdentifyBy(json.identifyBy ?? 'address', 'rule.identifyBy')),
    onStoreFailure: json.onStoreFailure ?? 'open',
    mode: json.mode ?? 'enforce',
    limits: limits.map((limit, index) => ({
      ...limit,
      name: limit.name ?? nameOfOnly(isOnly, `rule.limits[${index}].name`),
      mode: limit.mode ?? 'enforce',
    })),
    quotas: quotas.map((quota) => ({
      ...completeQuota(quota),
      name: quota.name ?? quota.period,
      mode: quota.mode ?? 'enforce',
    })),
  };
}

function nameOfOnly(isOnly: boolean, at: string): string {
  if (isOnly) return 'default';
  throw badMember(at, 'is required where a rule has several limits');
}

/** All of them are checked, also those that are off; only those that are not are kept. */
function parseAll({ mode = 'enforce', limits = [], quotas = [] }: RuleJson): Limit[] {
  const count = limits.length + quotas.length;
  if (count === 0) throw badMember('rule.limits', 'must have at least one limit, or rule.quotas a quota');
  if (count > LIMITS_PER_RULE_MAX) {
    throw badMember('rule.limits', `and rule.quotas must together be at most ${LIMITS_PER_RULE_MAX}`);
  }
  const seen = new Set<string>();
  const parsed = [
    ...limits.map((json, index) => parseOne(json, `rule.limits[${index}]`, parseLimit)),
    ...quotas.map((json, index) => parseOne(json, `rule.quotas[${index}]`, parseQuota)),
  ];
  let places = 0;
  for (const { limit, at } of parsed) {
    if (limit.algorithm === 'concurrency' && ++places > 1) {
      throw badMember(`${at}.algorithm`, 'must not be concurrency a second time: a lease holds one place');
    }
    if (seen.has(limit.name))
      throw badMember(`${at}.name`, `must be unique in its rule, "${limit.name}" is taken`);
    seen.add(limit.name);
  }
  return parsed.flatMap(({ limit, own }) => {
    const weakest = weaker(mode, own);
    // Who asks for a lease must get one that can be renewed: places are counted on, and deny nothing.
    const effective = weakest === 'off' && limit.algorithm === 'concurrency' ? 'shadow' : weakest;
    return effective === 'off' ? [] : [Object.freeze({ ...limit, mode: effective } as Limit)];
  });
}

function parseOne<Json extends { name?: string; mode?: ModeJson }>(
  json: Json,
  at: string,
  parse: (json: Json & { readonly name: string }, at: string) => Omit<Limit, 'mode'>,
): { limit: Omit<Limit, 'mode'>; own: ModeJson; at: string } {
  return { limit: parse({ ...json, name: json.name ?? '' }, at), own: json.mode ?? 'enforce', at };
}

/** A rule on trial has no limit that denies, one that is off has none at all. */
function weaker(rule: ModeJson, limit: ModeJson): Mode | 'off' {
  if (rule === 'off' || limit === 'off') return 'off';
  return rule === 'shadow' || limit === 'shadow' ? 'shadow' : 'enforce';
}
