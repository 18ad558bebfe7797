import type { Command } from 'commander';
import type { User } from '../../../client/users.ts';
import { defineCommand, withAdminOptions } from '../../define-command.ts';
import { formatTime } from '../../duration.ts';
import type { AdminOptions, Session } from '../../session.ts';
import { table } from '../../table.ts';

export function userList(group: Command, session: Session): void {
  const command = defineCommand(group, 'list', {
    summary: 'list all users',
    examples: ['brume user list', 'brume user list --json'],
  });
  withAdminOptions(command).action((options: AdminOptions) =>
    session.ask(options, async (client) => {
      const items = await client.users.list();
      const rows = items.map((user) => [user.login, user.id, stateOf(user), formatTime(user.createdAt)]);
      const text = items.length === 0 ? NONE : table(['LOGIN', 'ID', 'STATE', 'CREATED'], rows);
      return { json: { items }, text };
    }),
  );
}

const NONE = 'There are no users. Invite one with: brume user invite LOGIN --role owner';

/** In one word for people. */
export function stateOf({ isDisabled, hasPassword }: User): string {
  if (isDisabled) return 'disabled';
  return hasPassword ? 'active' : 'no password';
}
