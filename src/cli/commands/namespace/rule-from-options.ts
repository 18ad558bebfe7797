import { readFileSync } from 'node:fs';
import type { Limit, Quota, Rule } from '../../../client/resources.ts';
import { BUCKET_WORDS } from '../../../policy/rule-words.ts';
import type { Terminal } from '../../terminal.ts';
import { UsageError } from '../../usage-error.ts';
import { DEFAULT_ALGORITHM, parseLimitSpec } from './limit-spec.ts';
import { parseQuotaSpec, quotaName } from './quota-spec.ts';
import type { RuleOptions } from './rule-options.ts';
import { present } from './spec.ts';

/** The rule of a new namespace, out of its options. */
export async function newRule(options: RuleOptions, terminal: Terminal): Promise<Rule> {
  if (options.rule !== undefined) return ruleFile(options.rule, terminal);
  const { limits, quotas } = added(options);
  const first = namesLimit(options) ? [firstLimit(options, limits.length > 0)] : [];
  if (first.length + limits.length + quotas.length === 0)
    throw new UsageError('What is limited? Give --limit and --window, --add, --quota, or --rule.');
  return { ...ruleMembers(options), ...nonEmpty({ limits: [...first, ...limits], quotas }) };
}

/** A rule with what the options name changed, and the rest as it was. */
export async function changedRule(current: Rule, options: RuleOptions, terminal: Terminal): Promise<Rule> {
  if (options.rule !== undefined) return ruleFile(options.rule, terminal);
  const { limits = [], quotas = [] } = current;
  const { limits: newLimits, quotas: newQuotas } = added(options);
  const replaced = [...newLimits.map(limitName), ...newQuotas.map(quotaName)];
  const keptLimits = without(replaced, changedLimits(limits, options), limitName);
  const keptQuotas = without(replaced, quotas, quotaName);
  const dropped = options.remove ?? [];
  const known = [...keptLimits.map(limitName), ...keptQuotas.map(quotaName)];
  const unknown = dropped.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new UsageError(`--remove ${unknown}: the rule has no limit or quota of this name.`);
  return {
    ...current,
    ...ruleMembers(options),
    ...(limits.length + newLimits.length > 0 || namesLimit(options)
      ? { limits: [...without(dropped, keptLimits, limitName), ...newLimits] }
      : {}),
    ...(quotas.length + newQuotas.length > 0
      ? { quotas: [...without(dropped, keptQuotas, quotaName), ...newQuotas] }
      : {}),
  };
}

function added({ add = [], quota = [] }: RuleOptions) {
  return { limits: add.map(parseLimitSpec), quotas: quota.map(parseQuotaSpec) };
}

/** A limit without a name is the only one of its rule. */
function limitName({ name = 'default' }: Limit): string {
  return name;
}

function without<Item>(
  names: readonly string[],
  items: readonly Item[],
  nameOf: (item: Item) => string,
): Item[] {
  return items.filter((item) => !names.includes(nameOf(item)));
}

function nonEmpty(lists: { limits: readonly Limit[]; quotas: readonly Quota[] }): Partial<Rule> {
  return Object.fromEntries(Object.entries(lists).filter(([, items]) => items.length > 0));
}

function namesLimit({ limit, window, algorithm, burst }: RuleOptions): boolean {
  return [limit, window, algorithm, burst].some((value) => value !== undefined);
}

function firstLimit({ limit, window, algorithm, burst }: RuleOptions, isOneOfSeveral: boolean): Limit {
  if (limit === undefined || window === undefined)
    throw new UsageError('A limit needs both --limit and --window.');
  return {
    ...(isOneOfSeveral ? { name: 'default' } : {}),
    algorithm: algorithm ?? DEFAULT_ALGORITHM,
    limit,
    windowMs: window,
    ...present({ burst }),
  };
}

/** The limits, of which the only one is changed if the options say so. */
function changedLimits(limits: readonly Limit[], options: RuleOptions): readonly Limit[] {
  if (!namesLimit(options)) return limits;
  const [only, another] = limits;
  if (only === undefined) return [firstLimit(options, false)];
  if (another !== undefined) {
    throw new UsageError('The rule has several limits: change one with --add name=…, which replaces it.');
  }
  const { burst: earlierBurst, ...rest } = only;
  const algorithm = options.algorithm ?? only.algorithm;
  // It goes when an algorithm comes that has none.
  const isBucket = BUCKET_WORDS.some((word) => word === algorithm);
  const burst = options.burst ?? (isBucket ? earlierBurst : undefined);
  const { limit = only.limit, window: windowMs = only.windowMs } = options;
  return [{ ...rest, algorithm, limit, windowMs, ...present({ burst }) }];
}

function ruleMembers({ kind, ipv6Prefix, identifyBy, onStoreFailure, mode }: RuleOptions): Partial<Rule> {
  return present({ kind, ipv6Prefix, identifyBy, onStoreFailure, mode });
}

async function ruleFile(path: string, terminal: Terminal): Promise<Rule> {
  const text = path === '-' ? await terminal.input() : readRuleFile(path);
  try {
    // The server judges what is in it, and names the member at fault.
    return JSON.parse(text) as Rule;
  } catch (error) {
    throw new UsageError(`--rule ${path}: not JSON: ${error instanceof Error ? error.message : error}`);
  }
}

function readRuleFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(`--rule ${path}: ${error instanceof Error ? error.message : error}`);
  }
}
