import { nearestName } from '../../errors/nearest-name.ts';
import { parseLimit } from '../limit-input.ts';
import type { Rule } from '../namespace.ts';
import { parseQuota } from '../quota-input.ts';
import type { LimitJson, QuotaJson, RuleJson } from '../rule-schema.ts';
import { badMember } from '../schema-fault.ts';
import type { LimitOverrideJson } from './exception-schema.ts';
import type { LimitOverride } from './rule-exception.ts';

/**
 * Checks what an override says of a rule's limits and quotas: that they are there, and that what
 * comes out is a rule. In the order of the rule, frozen. `at` names the list in messages: `limits`.
 */
export function parseOverrides(
  input: readonly LimitOverrideJson[],
  rule: Rule,
  at: string,
): readonly LimitOverride[] {
  const names = namesOf(rule.json);
  const found = new Map<string, LimitOverride>();
  for (const [index, json] of input.entries()) {
    const override = parseOne(json, rule.json, names, `${at}[${index}]`);
    if (found.has(override.name)) {
      throw badMember(`${at}[${index}].name`, `must not be there twice, "${override.name}" is`);
    }
    found.set(override.name, override);
  }
  return Object.freeze(names.flatMap((name) => found.get(name) ?? []));
}

/** Of all limits and quotas, also of those that are off. */
export function namesOf({ limits = [], quotas = [] }: RuleJson): string[] {
  return [...limits, ...quotas].map(({ name = '' }) => name);
}

function parseOne(
  json: LimitOverrideJson,
  rule: RuleJson,
  names: readonly string[],
  at: string,
): LimitOverride {
  const { name = onlyName(names, `${at}.name`), limit, burst, mode } = json;
  if (!names.includes(name)) throw badMember(`${at}.name`, unknownName(name, names));
  if (limit === undefined && burst === undefined && mode === undefined) {
    throw badMember(at, 'must have at least one of limit, burst and mode');
  }
  const said = {
    ...(limit !== undefined && { limit }),
    ...(burst !== undefined && { burst }),
    ...(mode !== undefined && { mode }),
  };
  const own = rule.limits?.find((known) => known.name === name);
  const quota = rule.quotas?.find((known) => known.name === name);
  if (own !== undefined) parseLimit({ ...own, ...said, name } satisfies LimitJson, at);
  else if (burst !== undefined) throw badMember(`${at}.burst`, `is not for "${name}", which is a quota`);
  else if (quota !== undefined) parseQuota({ ...quota, ...said, name } satisfies QuotaJson, at);
  return Object.freeze({ name, ...said });
}

function onlyName(names: readonly string[], at: string): string {
  const [first] = names;
  if (first !== undefined && names.length === 1) return first;
  throw badMember(at, `is required, for the rule of this namespace has ${listed(names)}`);
}

function unknownName(name: string, names: readonly string[]): string {
  const nearest = nearestName(name, names);
  const hint = nearest === undefined ? '' : `; did you mean "${nearest}"?`;
  return `must be that of a limit or quota of the namespace's rule, "${name}" is none: it has ${listed(names)}${hint}`;
}

function listed(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ');
}
