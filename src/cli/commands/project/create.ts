import type { Command } from 'commander';
import { name } from '../../arguments.ts';
import { defineCommand, withAdminOptions } from '../../define-command.ts';
import { printable } from '../../printable.ts';
import type { AdminOptions, Session } from '../../session.ts';

export function projectCreate(group: Command, session: Session): void {
  const command = defineCommand(group, 'create', {
    summary: 'create a project',
    examples: ['brume project create shop', 'brume project create shop --json'],
  }).argument('<name>', 'a-z, 0-9, ".", "_" and "-", at most 64 characters', name);
  withAdminOptions(command).action((project: string, options: AdminOptions) =>
    session.ask(options, async (client) => {
      const json = await client.createProject(project);
      return { json, text: `Created project ${printable(json.name)} (${printable(json.id)}).` };
    }),
  );
}
