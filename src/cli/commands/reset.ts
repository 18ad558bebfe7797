import type { Command } from 'commander';
import { name } from '../arguments.ts';
import { defineCommand, withAdminOptions } from '../define-command.ts';
import { printable } from '../printable.ts';
import type { AdminOptions, Session } from '../session.ts';

export function resetCommand(program: Command, session: Session): void {
  const command = defineCommand(program, 'reset', {
    summary: 'forget what an identifier used',
    description:
      'Forgets what an identifier used of every limit and quota of a namespace, and its request ids: the next check finds it as new.',
    examples: ['brume reset shop login 203.0.113.9', 'brume reset shop api user-42 --json'],
  })
    .argument('<project>', 'name or id', name)
    .argument('<namespace>', 'name', name)
    .argument('<identifier>', 'whose counts to forget');
  withAdminOptions(command).action(
    (project: string, namespace: string, identifier: string, options: AdminOptions) =>
      session.ask(options, async (client) => {
        await client.reset(project, { namespace, identifier });
        return {
          json: { reset: true },
          text: `Reset: ${printable(identifier)} has used nothing in ${printable(namespace)}.`,
        };
      }),
  );
}
