import type { Command } from 'commander';
import { name } from '../../arguments.ts';
import { defineCommand, withAdminOptions } from '../../define-command.ts';
import type { AdminOptions, Session } from '../../session.ts';

export function leaseRelease(group: Command, session: Session): void {
  const command = defineCommand(group, 'release', {
    summary: 'give a place back whose holder is stuck',
    description: 'Gives the place of a lease back at once. Its holder is told when it next renews.',
    examples: [
      'brume lease release shop "$(brume lease list shop exports user-42 --json | jq -r .items[0].id)"',
    ],
  })
    .argument('<project>', 'name or id', name)
    .argument('<lease>', 'its id');
  withAdminOptions(command).action((project: string, lease: string, options: AdminOptions) =>
    session.ask(options, async (client) => {
      await client.releaseLease(project, lease);
      return { json: { released: true }, text: 'Released.' };
    }),
  );
}
