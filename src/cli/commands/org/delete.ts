import type { Command } from 'commander';
import { name } from '../../arguments.ts';
import { confirmDelete, type DeleteOptions, NOT_DELETED, withYes } from '../../confirm-delete.ts';
import { defineCommand, withAdminOptions } from '../../define-command.ts';
import { type ExpectOptions, expectedBy, withExpect } from '../../expect-option.ts';
import { printable } from '../../printable.ts';
import type { Session } from '../../session.ts';

export function orgDelete(group: Command, session: Session): void {
  const command = defineCommand(group, 'delete', {
    summary: 'delete an organisation that owns no project',
    examples: ['brume org delete shop', 'brume org delete shop --yes'],
  }).argument('<organisation>', 'name or id', name);
  withYes(withAdminOptions(withExpect(command))).action(
    (organisation: string, options: DeleteOptions & ExpectOptions) =>
      session.ask(options, async (client) => {
        const what = `the organisation ${printable(organisation)} with its memberships and management tokens`;
        if (!(await confirmDelete(session.terminal, what, options))) return NOT_DELETED;
        await client.organisations.delete(organisation, expectedBy(options));
        return { json: { deleted: true }, text: `Deleted ${what}.` };
      }),
  );
}
