import type { Command } from 'commander';
import { name } from '../../arguments.ts';
import { defineCommand, withAdminOptions } from '../../define-command.ts';
import { printable } from '../../printable.ts';
import { DEFAULT_ORGANISATION } from '../../role.ts';
import type { AdminOptions, Session } from '../../session.ts';

interface Options extends AdminOptions {
  readonly organisation?: string;
}

export function projectCreate(group: Command, session: Session): void {
  const command = defineCommand(group, 'create', {
    summary: 'create a project',
    examples: ['brume project create shop', 'brume project create shop --organisation retail --json'],
  })
    .argument('<name>', 'a-z, 0-9, ".", "_" and "-", at most 64 characters', name)
    .option(
      '--organisation <organisation>',
      `whose it is, by name or id (default: ${DEFAULT_ORGANISATION})`,
      name,
    );
  withAdminOptions(command).action((project: string, { organisation, ...options }: Options) =>
    session.ask(options, async (client) => {
      const json = await client.createProject(project, {
        ...(organisation !== undefined && { organisation }),
      });
      return { json, text: `Created project ${printable(json.name)} (${printable(json.id)}).` };
    }),
  );
}
