import type { Command } from 'commander';
import { name } from '../../arguments.ts';
import { defineCommand, withAdminOptions } from '../../define-command.ts';
import { formatTime } from '../../duration.ts';
import type { AdminOptions, Session } from '../../session.ts';
import { details } from '../../table.ts';

export function orgShow(group: Command, session: Session): void {
  const command = defineCommand(group, 'show', {
    summary: 'show an organisation',
    examples: ['brume org show shop', 'brume org show shop --json'],
  }).argument('<organisation>', 'name or id', name);
  withAdminOptions(command).action((organisation: string, options: AdminOptions) =>
    session.ask(options, async (client) => {
      const json = await client.organisations.show(organisation);
      const text = details([
        ['Name', json.name],
        ['Id', json.id],
        ['Version', json.version],
        ['Created', formatTime(json.createdAt)],
        ['Updated', formatTime(json.updatedAt)],
      ]);
      return { json, text };
    }),
  );
}
