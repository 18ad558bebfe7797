import type { Command } from 'commander';
import { name } from '../../arguments.ts';
import { confirmDelete, type DeleteOptions, NOT_DELETED, withYes } from '../../confirm-delete.ts';
import { defineCommand, withAdminOptions } from '../../define-command.ts';
import { type ExpectOptions, expectedBy, withExpect } from '../../expect-option.ts';
import { printable } from '../../printable.ts';
import type { Session } from '../../session.ts';

export function projectDelete(group: Command, session: Session): void {
  const command = defineCommand(group, 'delete', {
    summary: 'delete a project with its keys and namespaces',
    examples: ['brume project delete shop', 'brume project delete shop --yes'],
  }).argument('<project>', 'name or id', name);
  withYes(withAdminOptions(withExpect(command))).action(
    (project: string, options: DeleteOptions & ExpectOptions) =>
      session.ask(options, async (client) => {
        const what = `the project ${printable(project)} with its keys and namespaces`;
        if (!(await confirmDelete(session.terminal, what, options))) return NOT_DELETED;
        await client.deleteProject(project, expectedBy(options));
        return { json: { deleted: true }, text: `Deleted ${what}.` };
      }),
  );
}
