import type { Command } from 'commander';
import { name } from '../../arguments.ts';
import { defineCommand, withAdminOptions } from '../../define-command.ts';
import { formatTime } from '../../duration.ts';
import type { AdminOptions, Session } from '../../session.ts';
import { details } from '../../table.ts';

export function projectShow(group: Command, session: Session): void {
  const command = defineCommand(group, 'show', {
    summary: 'show a project',
    examples: ['brume project show shop', 'brume project show shop --json'],
  }).argument('<project>', 'name or id', name);
  withAdminOptions(command).action((project: string, options: AdminOptions) =>
    session.ask(options, async (client) => {
      const json = await client.showProject(project);
      const text = details([
        ['Name', json.name],
        ['Id', json.id],
        ['Organisation', json.organisationId],
        ['Tier', json.tierId],
        ['Version', json.version],
        ['Created', formatTime(json.createdAt)],
        ['Updated', formatTime(json.updatedAt)],
      ]);
      return { json, text };
    }),
  );
}
