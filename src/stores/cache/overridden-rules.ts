import { LRUCache } from 'lru-cache';
import { parseLimitsText } from '../../policy/exceptions/limits-text.ts';
import { overriddenRule } from '../../policy/exceptions/overridden-rule.ts';
import type { Rule } from '../../policy/namespace.ts';

const RULES_MAX = 10_000;

/** Rules with the numbers of overrides: one object for all overrides of a rule that say the same. */
export class OverriddenRules {
  readonly #rules = new LRUCache<string, Rule>({ max: RULES_MAX });
  readonly #numbers = new WeakMap<Rule, number>();
  #lastNumber = 0;

  of(rule: Rule, limitsText: string): Rule {
    const key = `${this.#numberOf(rule)} ${limitsText}`;
    const known = this.#rules.get(key);
    if (known !== undefined) return known;
    const made = overriddenRule(rule, parseLimitsText(limitsText)).rule;
    this.#rules.set(key, made);
    return made;
  }

  #numberOf(rule: Rule): number {
    const known = this.#numbers.get(rule);
    if (known !== undefined) return known;
    this.#lastNumber += 1;
    this.#numbers.set(rule, this.#lastNumber);
    return this.#lastNumber;
  }
}
