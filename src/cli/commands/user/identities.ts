import type { Command } from 'commander';
import { name } from '../../arguments.ts';
import { defineCommand, withAdminOptions } from '../../define-command.ts';
import { formatTime } from '../../duration.ts';
import { printable } from '../../printable.ts';
import type { AdminOptions, Session } from '../../session.ts';
import { table } from '../../table.ts';

export function userIdentities(group: Command, session: Session): void {
  const command = defineCommand(group, 'identities', {
    summary: 'list who a user is at an identity provider',
    examples: ['brume user identities anna', 'brume user identities anna --json'],
  }).argument('<user>', 'login or id', name);
  withAdminOptions(command).action((user: string, options: AdminOptions) =>
    session.ask(options, async (client) => {
      const items = await client.users.listIdentities(user);
      const rows = items.map(({ issuer, subject, createdAt }) => [issuer, subject, formatTime(createdAt)]);
      const none = `${printable(user)} is linked to no identity provider.`;
      return {
        json: { items },
        text: items.length === 0 ? none : table(['ISSUER', 'SUBJECT', 'LINKED'], rows),
      };
    }),
  );
}
