import type { Command } from 'commander';
import { name } from '../../arguments.ts';
import { defineCommand, withAdminOptions } from '../../define-command.ts';
import { formatTime } from '../../duration.ts';
import { printable } from '../../printable.ts';
import type { AdminOptions, Session } from '../../session.ts';

export function keyRevoke(group: Command, session: Session): void {
  const command = defineCommand(group, 'revoke', {
    summary: 'revoke an API key',
    description: 'Revokes an API key, for good. Revoking it again changes nothing.',
    examples: ['brume key revoke shop key_5f0c9a'],
  })
    .argument('<project>', 'name or id', name)
    .argument('<key>', 'id of the key, as key list shows it', name);
  withAdminOptions(command).action((project: string, key: string, options: AdminOptions) =>
    session.ask(options, async (client) => {
      const json = await client.revokeKey(project, key);
      return {
        json,
        text: printable(`Key ${json.name} (${json.id}) is revoked since ${formatTime(json.revokedAt)}.`),
      };
    }),
  );
}
