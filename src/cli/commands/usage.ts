import { type Command, Option } from 'commander';
import type { UsageFilter, UsageItem } from '../../client/usage.ts';
import { durationMs, name, time } from '../arguments.ts';
import { defineCommand, withAdminOptions } from '../define-command.ts';
import { printable } from '../printable.ts';
import type { AdminOptions, Session } from '../session.ts';
import { table } from '../table.ts';
import { timeFromNow } from '../time-from-now.ts';

interface Options extends AdminOptions, UsageFilter {
  /** Milliseconds. */
  readonly last?: number;
}

export function usageCommand(program: Command, session: Session): void {
  const command = defineCommand(program, 'usage', {
    summary: 'show how much a project uses, by namespace or by key',
    description:
      'Shows how many checks of a project were allowed and denied, and what the allowed ones cost, by the day or the hour in UTC. Without a time it goes 30 days back, with --step hour a day.',
    examples: [
      'brume usage shop',
      'brume usage shop --by key --last 7d',
      'brume usage shop --by namespace --step hour --from 2027-03-01T00:00:00Z --to 2027-03-02T00:00:00Z --json',
    ],
  })
    .argument('<project>', 'name or id', name)
    .addOption(new Option('--by <part>', 'tell apart by this').choices(['namespace', 'key']))
    .addOption(new Option('--step <step>', 'in steps of this (default: day)').choices(['hour', 'day']))
    .option('--namespace <name>', 'only this namespace', name)
    .option('--key <id>', 'only this key', name)
    .option('--from <time>', 'since then, in ISO 8601 with its offset', time)
    .option('--to <time>', 'up to then', time)
    .addOption(
      new Option('--last <duration>', 'as far back: 12h, 7d').argParser(durationMs).conflicts(['from', 'to']),
    );
  withAdminOptions(command).action((project: string, options: Options) =>
    session.ask(options, async (client) => {
      const items = await client.usage.list(project, filterOf(options));
      return { json: { items }, text: text(items, options, printable(project)) };
    }),
  );
}

function filterOf({ by, step, namespace, key, from, to, last }: Options): UsageFilter {
  const since = last === undefined ? from : timeFromNow(-last);
  return {
    ...(by !== undefined && { by }),
    ...(step !== undefined && { step }),
    ...(since !== undefined && { from: since }),
    ...(to !== undefined && { to }),
    ...(namespace !== undefined && { namespace }),
    ...(key !== undefined && { key }),
  };
}

function text(items: readonly UsageItem[], { by, step = 'day' }: UsageFilter, project: string): string {
  if (items.length === 0) return `No usage of ${project} is on record for this time.`;
  const headings = [step === 'day' ? 'DAY' : 'HOUR', ...PART_HEADINGS[by ?? 'project']];
  const rows = items.map((item) => [
    startText(item.start, step),
    ...partCells(item, by),
    item.allowed,
    item.denied,
    item.degraded,
    item.cost,
  ]);
  return table([...headings, 'ALLOWED', 'DENIED', 'DEGRADED', 'COST'], rows);
}

const PART_HEADINGS = { project: [], namespace: ['NAMESPACE'], key: ['KEY', 'ID'] } as const;

function partCells({ namespace, key, keyName }: UsageItem, by: UsageFilter['by']): (string | null)[] {
  if (by === undefined) return [];
  return by === 'namespace' ? [namespace] : [key === null ? '(without a key)' : keyName, key];
}

/** `2027-03-01`, `2027-03-01 14:00Z` */
function startText(start: string, step: 'hour' | 'day'): string {
  return step === 'day' ? start.slice(0, 10) : `${start.slice(0, 16).replace('T', ' ')}Z`;
}
