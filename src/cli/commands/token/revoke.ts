import type { Command } from 'commander';
import { name } from '../../arguments.ts';
import { defineCommand, withAdminOptions } from '../../define-command.ts';
import { formatTime } from '../../duration.ts';
import { printable } from '../../printable.ts';
import type { AdminOptions, Session } from '../../session.ts';

export function tokenRevoke(group: Command, session: Session): void {
  const command = defineCommand(group, 'revoke', {
    summary: 'revoke a management token',
    description: 'Revokes a management token, for good. Revoking it again changes nothing.',
    examples: ['brume token revoke default mt_5f0c9a'],
  })
    .argument('<organisation>', 'name or id', name)
    .argument('<token>', 'id of the token, as token list shows it', name);
  withAdminOptions(command).action((organisation: string, token: string, options: AdminOptions) =>
    session.ask(options, async (client) => {
      const json = await client.organisations.revokeToken(organisation, token);
      const text = `Token ${json.name} (${json.id}) is revoked since ${formatTime(json.revokedAt)}.`;
      return { json, text: printable(text) };
    }),
  );
}
