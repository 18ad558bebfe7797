import type { Command } from 'commander';
import { name } from '../../arguments.ts';
import { defineCommand, withAdminOptions } from '../../define-command.ts';
import { formatTime } from '../../duration.ts';
import { printable } from '../../printable.ts';
import type { AdminOptions, Session } from '../../session.ts';
import { table } from '../../table.ts';
import { UsageError } from '../../usage-error.ts';

interface Options extends AdminOptions {
  readonly revoke?: string;
  readonly revokeAll?: boolean;
}

export function userSessions(group: Command, session: Session): void {
  const command = defineCommand(group, 'sessions', {
    summary: "list a user's sessions, or end them",
    examples: [
      'brume user sessions anna',
      'brume user sessions anna --revoke ses_1f9c',
      'brume user sessions anna --revoke-all',
    ],
  })
    .argument('<user>', 'login or id', name)
    .option('--revoke <session>', 'end this one', name)
    .option('--revoke-all', 'end all of them');
  withAdminOptions(command).action((user: string, { revoke, revokeAll, ...options }: Options) => {
    if (revoke !== undefined && revokeAll === true) {
      throw new UsageError('--revoke ends one session and --revoke-all all of them: say one.');
    }
    return session.ask(options, async (client) => {
      if (revokeAll === true) {
        await client.users.revokeSessions(user);
        return { json: { revoked: true }, text: `All sessions of ${printable(user)} have ended.` };
      }
      if (revoke !== undefined) {
        await client.users.revokeSession(user, revoke);
        return { json: { revoked: true }, text: `The session ${printable(revoke)} has ended.` };
      }
      const items = await client.users.listSessions(user);
      const rows = items.map(({ id, createdAt, expiresAt, revokedAt }) => [
        id,
        ...[createdAt, expiresAt, revokedAt].map(formatTime),
      ]);
      const none = `${printable(user)} has no sessions.`;
      return {
        json: { items },
        text: items.length === 0 ? none : table(['SESSION', 'BEGAN', 'EXPIRES', 'REVOKED'], rows),
      };
    });
  });
}
