import type { Command } from 'commander';
import { name } from '../../arguments.ts';
import { defineCommand, withAdminOptions } from '../../define-command.ts';
import { formatTime } from '../../duration.ts';
import { printable } from '../../printable.ts';
import type { AdminOptions, Session } from '../../session.ts';
import { table } from '../../table.ts';

export function leaseList(group: Command, session: Session): void {
  const command = defineCommand(group, 'list', {
    summary: 'list the leases that an identifier holds, the next to run out first',
    examples: ['brume lease list shop exports user-42', 'brume lease list shop exports user-42 --json'],
  })
    .argument('<project>', 'name or id', name)
    .argument('<namespace>', 'name', name)
    .argument('<identifier>', 'whose leases to list');
  withAdminOptions(command).action(
    (project: string, namespace: string, identifier: string, options: AdminOptions) =>
      session.ask(options, async (client) => {
        const items = await client.listLeases(project, { namespace, identifier });
        const rows = items.map(({ id, expiresAt }) => [id, formatTime(expiresAt)]);
        const none = `${printable(identifier)} holds no lease in ${printable(namespace)}.`;
        return { json: { items }, text: items.length === 0 ? none : table(['LEASE', 'RUNS OUT'], rows) };
      }),
  );
}
