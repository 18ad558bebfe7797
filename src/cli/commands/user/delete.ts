import type { Command } from 'commander';
import { name } from '../../arguments.ts';
import { confirmDelete, type DeleteOptions, NOT_DELETED, withYes } from '../../confirm-delete.ts';
import { defineCommand, withAdminOptions } from '../../define-command.ts';
import { printable } from '../../printable.ts';
import type { Session } from '../../session.ts';

export function userDelete(group: Command, session: Session): void {
  const command = defineCommand(group, 'delete', {
    summary: 'delete a user with sessions, memberships and the tokens that the user made',
    examples: ['brume user delete anna', 'brume user delete anna --yes'],
  }).argument('<user>', 'login or id', name);
  withYes(withAdminOptions(command)).action((user: string, options: DeleteOptions) =>
    session.ask(options, async (client) => {
      const what = `the user ${printable(user)} with sessions, memberships and management tokens`;
      if (!(await confirmDelete(session.terminal, what, options))) return NOT_DELETED;
      await client.users.delete(user);
      return { json: { deleted: true }, text: `Deleted ${what}.` };
    }),
  );
}
