import type { Command } from 'commander';
import { defineCommand, withAdminOptions } from '../../define-command.ts';
import { formatTime } from '../../duration.ts';
import type { AdminOptions, Session } from '../../session.ts';
import { table } from '../../table.ts';

export function projectList(group: Command, session: Session): void {
  const command = defineCommand(group, 'list', {
    summary: 'list all projects',
    examples: ['brume project list', 'brume project list --json'],
  });
  withAdminOptions(command).action((options: AdminOptions) =>
    session.ask(options, async (client) => {
      const items = await client.listProjects();
      const rows = items.map((project) => [project.name, project.id, formatTime(project.createdAt)]);
      const text = items.length === 0 ? NONE : table(['NAME', 'ID', 'CREATED'], rows);
      return { json: { items }, text };
    }),
  );
}

const NONE = 'There are no projects. Create one with: brume project create NAME';
