import type { Command } from 'commander';
import { name } from '../../arguments.ts';
import { defineCommand, withAdminOptions } from '../../define-command.ts';
import { formatTime } from '../../duration.ts';
import type { AdminOptions, Session } from '../../session.ts';
import { details } from '../../table.ts';

export function keyShow(group: Command, session: Session): void {
  const command = defineCommand(group, 'show', {
    summary: 'show an API key, without the key itself',
    examples: ['brume key show shop key_5f0c9a', 'brume key show shop key_5f0c9a --json'],
  })
    .argument('<project>', 'name or id', name)
    .argument('<key>', 'id of the key, as key list shows it', name);
  withAdminOptions(command).action((project: string, key: string, options: AdminOptions) =>
    session.ask(options, async (client) => {
      const json = await client.showKey(project, key);
      const text = details([
        ['Name', json.name],
        ['Id', json.id],
        ['Begins with', json.prefix],
        ['Kind', json.kind],
        ['Scopes', json.scopes.join(',')],
        ['In the place of', json.replaces],
        ['Created', formatTime(json.createdAt)],
        ['Expires', formatTime(json.expiresAt)],
        ['Revoked', formatTime(json.revokedAt)],
        ['Last used', formatTime(json.lastUsedAt)],
      ]);
      return { json, text };
    }),
  );
}
