import type { Limit, Quota, Rule } from '../../../client/resources.ts';
import { messageOf } from '../../../errors/message-of.ts';
import { BUCKET_WORDS, CONCURRENCY_WORD } from '../../../policy/rule-words.ts';
import { readText } from '../../read-text.ts';
import type { Terminal } from '../../terminal.ts';
import { UsageError } from '../../usage-error.ts';
import { DEFAULT_ALGORITHM, parseLimitSpec } from './limit-spec.ts';
import { parseQuotaSpec, quotaName } from './quota-spec.ts';
import { namesAnything, type RuleOptions } from './rule-options.ts';
import { present } from './spec.ts';

/** More than any rule has. */
const RULE_BYTES_MAX = 1024 * 1024;

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
  if (!namesAnything(options)) throw new UsageError('What is to change? Give an option; --help lists them.');
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

function namesLimit({ limit, window, ttl, algorithm, burst }: RuleOptions): boolean {
  return [limit, window, ttl, algorithm, burst].some((value) => value !== undefined);
}

function firstLimit(options: RuleOptions, isOneOfSeveral: boolean): Limit {
  const { limit, window: windowMs, ttl: ttlMs, algorithm = DEFAULT_ALGORITHM, burst } = options;
  const span = algorithm === CONCURRENCY_WORD ? ttlMs : windowMs;
  if (limit === undefined || span === undefined) {
    const second = algorithm === CONCURRENCY_WORD ? '--ttl' : '--window';
    throw new UsageError(`A limit needs both --limit and ${second}.`);
  }
  return {
    ...(isOneOfSeveral ? { name: 'default' } : {}),
    algorithm,
    limit,
    ...present({ windowMs, ttlMs, burst }),
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
  const { burst, windowMs, ttlMs, ...rest } = only;
  const { algorithm = only.algorithm, limit = only.limit } = options;
  // What an algorithm doesn't have goes when it comes.
  const hasBurst = BUCKET_WORDS.some((word) => word === algorithm);
  const hasWindow = algorithm !== CONCURRENCY_WORD;
  const numbers = {
    windowMs: options.window ?? (hasWindow ? windowMs : undefined),
    ttlMs: options.ttl ?? (hasWindow ? undefined : ttlMs),
    burst: options.burst ?? (hasBurst ? burst : undefined),
  };
  return [{ ...rest, algorithm, limit, ...present(numbers) }];
}

function ruleMembers({ kind, ipv6Prefix, identifyBy, onStoreFailure, mode }: RuleOptions): Partial<Rule> {
  return present({ kind, ipv6Prefix, identifyBy, onStoreFailure, mode });
}

async function ruleFile(path: string, terminal: Terminal): Promise<Rule> {
  const text = await readText(path, terminal, RULE_BYTES_MAX);
  try {
    // The server judges what is in it, and names the member at fault.
    return JSON.parse(text) as Rule;
  } catch (error) {
    throw new UsageError(`--rule ${path}: not JSON: ${messageOf(error)}`);
  }
}
