import { isBucket } from '../limiter/limit.ts';
import { identifyByText, parseIdentifyBy } from './identify-by.ts';
import { parseLimits } from './limit-input.ts';
import type { Rule } from './namespace.ts';
import { type RuleJson, ruleJson } from './rule-schema.ts';
import { assertSchema } from './schema-fault.ts';

/** IPv6 hosts commonly own a whole /64. */
const IPV6_PREFIX_DEFAULT = 64;

/**
 * Checks a rule's JSON, completes it with defaults and freezes it to the bottom.
 * Throws BrumeError `bad_request` that names the member at fault: `rule.limits[1].burst`.
 */
export function parseRule(input: unknown): Rule {
  assertRuleJson(input);
  return Object.freeze({
    kind: input.kind ?? 'text',
    ipv6Prefix: input.ipv6Prefix ?? IPV6_PREFIX_DEFAULT,
    identifyBy: Object.freeze(parseIdentifyBy(input.identifyBy ?? 'address', 'rule.identifyBy')),
    onStoreFailure: input.onStoreFailure ?? 'open',
    limits: parseLimits(input.limits, 'rule.limits'),
  });
}

/** The complete JSON of a rule: `parseRule(ruleToJson(rule))` equals `rule`. */
export function ruleToJson(rule: Rule): RuleJson {
  return {
    kind: rule.kind,
    ipv6Prefix: rule.ipv6Prefix,
    identifyBy: identifyByText(rule.identifyBy),
    onStoreFailure: rule.onStoreFailure,
    limits: rule.limits.map(({ name, algorithm, limit, windowMs, burst }) =>
      isBucket(algorithm)
        ? { name, algorithm, limit, windowMs, burst }
        : { name, algorithm, limit, windowMs },
    ),
  };
}

function assertRuleJson(input: unknown): asserts input is RuleJson {
  assertSchema(ruleJson, input, 'rule');
}
