import type { Command } from 'commander';
import { name } from '../../arguments.ts';
import { confirmDelete, type DeleteOptions, NOT_DELETED, withYes } from '../../confirm-delete.ts';
import { defineCommand, withAdminOptions } from '../../define-command.ts';
import { type ExpectOptions, expectedBy, withExpect } from '../../expect-option.ts';
import { printable } from '../../printable.ts';
import type { Session } from '../../session.ts';

export function namespaceDelete(group: Command, session: Session): void {
  const command = defineCommand(group, 'delete', {
    summary: 'delete a namespace',
    examples: ['brume namespace delete shop login', 'brume namespace delete shop login --yes'],
  })
    .argument('<project>', 'name or id', name)
    .argument('<namespace>', 'name', name);
  withYes(withAdminOptions(withExpect(command))).action(
    (project: string, namespace: string, options: DeleteOptions & ExpectOptions) =>
      session.ask(options, async (client) => {
        const what = `the namespace ${printable(namespace)} of ${printable(project)}`;
        if (!(await confirmDelete(session.terminal, what, options))) return NOT_DELETED;
        await client.deleteNamespace(project, namespace, expectedBy(options));
        return { json: { deleted: true }, text: `Deleted ${what}.` };
      }),
  );
}
