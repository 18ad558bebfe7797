import type { Command } from 'commander';
import { name } from '../../arguments.ts';
import { defineCommand, withAdminOptions } from '../../define-command.ts';
import { printable } from '../../printable.ts';
import type { AdminOptions, Session } from '../../session.ts';

export function userDisable(group: Command, session: Session): void {
  const command = defineCommand(group, 'disable', {
    summary: 'keep a user out',
    description: 'Keeps a user out from now on, and ends the sessions. Memberships stay, without effect.',
    examples: ['brume user disable anna'],
  }).argument('<user>', 'login or id', name);
  withAdminOptions(command).action((user: string, options: AdminOptions) =>
    session.ask(options, async (client) => {
      const json = await client.users.setDisabled(user, true);
      return { json, text: `${printable(json.login)} is disabled; the sessions have ended.` };
    }),
  );
}

export function userEnable(group: Command, session: Session): void {
  const command = defineCommand(group, 'enable', {
    summary: 'let a disabled user in again',
    examples: ['brume user enable anna'],
  }).argument('<user>', 'login or id', name);
  withAdminOptions(command).action((user: string, options: AdminOptions) =>
    session.ask(options, async (client) => {
      const json = await client.users.setDisabled(user, false);
      return { json, text: `${printable(json.login)} may sign in again.` };
    }),
  );
}
