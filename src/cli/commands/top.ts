import type { Command } from 'commander';
import type { Frequent, Top } from '../../client/resources.ts';
import { name, wholeNumber } from '../arguments.ts';
import { defineCommand, withAdminOptions } from '../define-command.ts';
import { formatTime } from '../duration.ts';
import { printable } from '../printable.ts';
import type { AdminOptions, Session } from '../session.ts';
import { table } from '../table.ts';

interface Options extends AdminOptions {
  readonly limit?: number;
}

export function topCommand(program: Command, session: Session): void {
  const command = defineCommand(program, 'top', {
    summary: 'show who comes most to a namespace, and who is denied most',
    description:
      'Shows which identifiers come most to a namespace and which are denied most, as the node that answers saw it in the last 10 to 20 minutes. Numbers with a "-" behind them may be that much too high.',
    examples: ['brume top shop login', 'brume top shop login --limit 50 --json'],
  })
    .argument('<project>', 'name or id', name)
    .argument('<namespace>', 'name', name)
    .option('--limit <n>', 'how many of each, 1 to 128 (default: 10)', wholeNumber);
  withAdminOptions(command).action((project: string, namespace: string, { limit, ...options }: Options) =>
    session.ask(options, async (client) => {
      const json = await client.top(project, namespace, { ...(limit !== undefined && { limit }) });
      return { json, text: text(json, printable(`${namespace} of ${project}`)) };
    }),
  );
}

function text({ since, checks, denials, busiest, mostDenied }: Top, where: string): string {
  if (since === null) return `Nothing is known of ${where}: no checks came lately.`;
  const head = `${where} since ${formatTime(since)}: ${checks} checks, ${denials} of them denied.`;
  return [head, ...frequent('CHECKS', busiest), ...frequent('DENIALS', mostDenied)].join('\n\n');
}

function frequent(heading: string, items: readonly Frequent[]): string[] {
  if (items.length === 0) return [];
  const rows = items.map(({ identifier, count, error }) => [
    count,
    error === 0 ? '' : `-${error}`,
    identifier,
  ]);
  return [table([heading, '', 'IDENTIFIER'], rows)];
}
