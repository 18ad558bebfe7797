import type { Command } from 'commander';
import { name } from '../../arguments.ts';
import { defineCommand, withAdminOptions } from '../../define-command.ts';
import { formatTime } from '../../duration.ts';
import type { AdminOptions, Session } from '../../session.ts';
import { details } from '../../table.ts';
import { stateOf } from './list.ts';

export function userShow(group: Command, session: Session): void {
  const command = defineCommand(group, 'show', {
    summary: 'show a user',
    examples: ['brume user show anna', 'brume user show anna --json'],
  }).argument('<user>', 'login or id', name);
  withAdminOptions(command).action((user: string, options: AdminOptions) =>
    session.ask(options, async (client) => {
      const json = await client.users.show(user);
      const text = details([
        ['Login', json.login],
        ['Id', json.id],
        ['State', stateOf(json)],
        ['Created', formatTime(json.createdAt)],
        ['Updated', formatTime(json.updatedAt)],
      ]);
      return { json, text };
    }),
  );
}
