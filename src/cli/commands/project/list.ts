import type { Command } from 'commander';
import { name } from '../../arguments.ts';
import { defineCommand, withAdminOptions } from '../../define-command.ts';
import { formatTime } from '../../duration.ts';
import type { AdminOptions, Session } from '../../session.ts';
import { table } from '../../table.ts';

interface Options extends AdminOptions {
  readonly organisation?: string;
}

export function projectList(group: Command, session: Session): void {
  const command = defineCommand(group, 'list', {
    summary: 'list all projects',
    examples: ['brume project list', 'brume project list --organisation retail --json'],
  }).option('--organisation <organisation>', 'only those of this one, by name or id', name);
  withAdminOptions(command).action(({ organisation, ...options }: Options) =>
    session.ask(options, async (client) => {
      const items = await client.listProjects({ ...(organisation !== undefined && { organisation }) });
      const rows = items.map((project) => [
        project.name,
        project.id,
        project.organisationId,
        project.tierId,
        formatTime(project.createdAt),
      ]);
      const text = items.length === 0 ? NONE : table(['NAME', 'ID', 'ORGANISATION', 'TIER', 'CREATED'], rows);
      return { json: { items }, text };
    }),
  );
}

const NONE = 'There are no projects. Create one with: brume project create NAME';
