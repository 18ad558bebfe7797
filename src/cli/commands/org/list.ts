import type { Command } from 'commander';
import { name } from '../../arguments.ts';
import { defineCommand, withAdminOptions } from '../../define-command.ts';
import { formatTime } from '../../duration.ts';
import { printable } from '../../printable.ts';
import type { AdminOptions, Session } from '../../session.ts';
import { table } from '../../table.ts';

export function orgList(group: Command, session: Session): void {
  const command = defineCommand(group, 'list', {
    summary: 'list the organisations',
    examples: ['brume org list', 'brume org list --json'],
  });
  withAdminOptions(command).action((options: AdminOptions) =>
    session.ask(options, async (client) => {
      const items = await client.organisations.list();
      const rows = items.map(({ name: called, id, createdAt }) => [called, id, formatTime(createdAt)]);
      return { json: { items }, text: table(['NAME', 'ID', 'CREATED'], rows) };
    }),
  );
}

export function orgMembers(group: Command, session: Session): void {
  const command = defineCommand(group, 'members', {
    summary: 'list the members of an organisation and their roles',
    examples: ['brume org members shop', 'brume org members shop --json'],
  }).argument('<organisation>', 'name or id', name);
  withAdminOptions(command).action((organisation: string, options: AdminOptions) =>
    session.ask(options, async (client) => {
      const items = await client.organisations.listMembers(organisation);
      const rows = items.map(({ login, role, createdAt }) => [login, role, formatTime(createdAt)]);
      const none = printable(
        `${organisation} has no members. Add one with: brume org add ${organisation} LOGIN --role owner`,
      );
      return {
        json: { items },
        text: items.length === 0 ? none : table(['LOGIN', 'ROLE', 'SINCE'], rows),
      };
    }),
  );
}
