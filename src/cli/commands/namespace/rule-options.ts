import { type Command, Option } from 'commander';
import {
  ALGORITHM_WORDS,
  BUCKET_WORDS,
  KIND_WORDS,
  MODE_WORDS,
  PERIOD_WORDS,
  STORE_FAILURE_WORDS,
} from '../../../policy/rule-words.ts';
import { collect, durationMs, wholeNumber } from '../../arguments.ts';
import type { AdminOptions } from '../../session.ts';
import { DEFAULT_ALGORITHM } from './limit-spec.ts';

/** The options that make a rule, as commander gives them. */
export interface RuleOptions extends AdminOptions {
  readonly limit?: number;
  readonly window?: number;
  readonly ttl?: number;
  readonly algorithm?: string;
  readonly burst?: number;
  readonly add?: readonly string[];
  readonly quota?: readonly string[];
  readonly mode?: string;
  /** update only: names of limits and quotas to take away. */
  readonly remove?: readonly string[];
  readonly rule?: string;
  readonly kind?: string;
  readonly ipv6Prefix?: number;
  readonly identifyBy?: string;
  readonly onStoreFailure?: string;
}

const ALL_BUT_RULE: readonly string[] = [
  'limit',
  'window',
  'ttl',
  'algorithm',
  'burst',
  'add',
  'quota',
  'mode',
  'remove',
  'kind',
  'ipv6Prefix',
  'identifyBy',
  'onStoreFailure',
];

/** Whether the options say anything about the rule. */
export function namesAnything(options: RuleOptions): boolean {
  const given: Readonly<Record<string, unknown>> = { ...options };
  return [...ALL_BUT_RULE, 'rule'].some((option) => given[option] !== undefined);
}

/** Adds the options that make a rule. */
export function withRuleOptions(command: Command): Command {
  return command
    .option('--limit <n>', 'how many pass in a window (concurrency: at the same time)', wholeNumber)
    .option('--window <duration>', 'length of the window: 500ms, 60s, 5m, 1h, 1d', durationMs)
    .option('--ttl <duration>', 'concurrency: how long a lease is held unless it is renewed', durationMs)
    .addOption(
      new Option('--algorithm <name>', `how to count (a new limit without it: ${DEFAULT_ALGORITHM})`).choices(
        ALGORITHM_WORDS,
      ),
    )
    .option(
      '--burst <n>',
      `${BUCKET_WORDS.join(', ')}: the most that passes at once (default: the limit)`,
      wholeNumber,
    )
    .option(
      '--add <limit>',
      'a further limit: name=hourly,limit=1000,window=1h[,algorithm=gcra,burst=50,mode=shadow], or name=jobs,limit=3,algorithm=concurrency,ttl=30s; can be repeated',
      collect,
    )
    .option(
      '--quota <quota>',
      `what passes in a calendar period (${PERIOD_WORDS.join(', ')}): 20000/month, or 20000/month,zone=Europe/Paris,day=31; ` +
        'name, time, weekday, month, minute and mode may follow too; can be repeated',
      collect,
    )
    .addOption(
      new Option(
        '--mode <mode>',
        'of the whole rule: shadow counts and reports, and never denies (default: enforce)',
      ).choices(MODE_WORDS),
    )
    .addOption(new Option('--kind <kind>', 'what identifiers are: text, or addresses').choices(KIND_WORDS))
    .option('--ipv6-prefix <bits>', 'kind ip: bits of an IPv6 address that count (default: 64)', wholeNumber)
    .option('--identify-by <how>', 'for proxies: address, header:NAME, path or key (default: address)')
    .addOption(
      new Option('--on-store-failure <policy>', 'what to answer while the counters are gone').choices(
        STORE_FAILURE_WORDS,
      ),
    )
    .addOption(
      new Option(
        '--rule <file>',
        'the whole rule as JSON, instead of the other options; - reads standard input',
      ).conflicts([...ALL_BUT_RULE]),
    );
}
