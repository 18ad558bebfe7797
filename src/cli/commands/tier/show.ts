import type { Command } from 'commander';
import { name } from '../../arguments.ts';
import { defineCommand, withAdminOptions } from '../../define-command.ts';
import { formatTime } from '../../duration.ts';
import type { AdminOptions, Session } from '../../session.ts';
import { details } from '../../table.ts';

export function tierShow(group: Command, session: Session): void {
  const command = defineCommand(group, 'show', {
    summary: 'show a tier',
    examples: ['brume tier show free', 'brume tier show free --json'],
  }).argument('<tier>', 'name or id', name);
  withAdminOptions(command).action((tier: string, options: AdminOptions) =>
    session.ask(options, async (client) => {
      const json = await client.tiers.show(tier);
      const text = details([
        ['Name', json.name],
        ['Id', json.id],
        ['Calls a day', json.callsPerDay],
        ['Version', json.version],
        ['Created', formatTime(json.createdAt)],
        ['Updated', formatTime(json.updatedAt)],
      ]);
      return { json, text };
    }),
  );
}
