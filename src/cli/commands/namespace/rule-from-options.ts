import { readFileSync } from 'node:fs';
import type { Limit, Rule } from '../../../client/resources.ts';
import type { Terminal } from '../../terminal.ts';
import { UsageError } from '../../usage-error.ts';
import { DEFAULT_ALGORITHM, parseLimitSpec } from './limit-spec.ts';
import type { RuleOptions } from './rule-options.ts';

/** The rule of a new namespace, out of its options. */
export async function newRule(options: RuleOptions, terminal: Terminal): Promise<Rule> {
  if (options.rule !== undefined) return ruleFile(options.rule, terminal);
  const added = (options.add ?? []).map(parseLimitSpec);
  const first = namesLimit(options) ? [firstLimit(options, added.length > 0)] : [];
  const limits = [...first, ...added];
  if (limits.length === 0)
    throw new UsageError('What is limited? Give --limit and --window, --add, or --rule.');
  return { ...ruleMembers(options), limits };
}

/** A rule with what the options name changed, and the rest as it was. */
export async function changedRule(current: Rule, options: RuleOptions, terminal: Terminal): Promise<Rule> {
  if (options.rule !== undefined) return ruleFile(options.rule, terminal);
  const kept = namesLimit(options) ? [changedLimit(current.limits, options)] : current.limits;
  const added = (options.add ?? []).map(parseLimitSpec);
  const others = kept.filter(({ name }) => !added.some((limit) => limit.name === name));
  const dropped = options.remove ?? [];
  const unknown = dropped.find((name) => !others.some((limit) => limit.name === name));
  if (unknown !== undefined) throw new UsageError(`--remove ${unknown}: the rule has no limit of this name.`);
  const limits = [...others.filter(({ name }) => !dropped.includes(name ?? '')), ...added];
  return { ...current, ...ruleMembers(options), limits };
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
    ...(burst === undefined ? {} : { burst }),
  };
}

function changedLimit(limits: readonly Limit[], options: RuleOptions): Limit {
  const [only, another] = limits;
  if (only === undefined || another !== undefined) {
    throw new UsageError('The rule has several limits: change one with --add name=…, which replaces it.');
  }
  const { burst: earlierBurst, ...rest } = only;
  const algorithm = options.algorithm ?? only.algorithm;
  // A burst belongs to gcra: it goes when another algorithm comes.
  const burst = options.burst ?? (algorithm === 'gcra' ? earlierBurst : undefined);
  return {
    ...rest,
    algorithm,
    limit: options.limit ?? only.limit,
    windowMs: options.window ?? only.windowMs,
    ...(burst === undefined ? {} : { burst }),
  };
}

function ruleMembers({ kind, ipv6Prefix, identifyBy, onStoreFailure }: RuleOptions): Partial<Rule> {
  const members = Object.entries({ kind, ipv6Prefix, identifyBy, onStoreFailure });
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
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
