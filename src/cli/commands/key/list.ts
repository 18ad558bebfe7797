import type { Command } from 'commander';
import type { ApiKey } from '../../../client/resources.ts';
import { name } from '../../arguments.ts';
import { defineCommand, withAdminOptions } from '../../define-command.ts';
import { formatTime } from '../../duration.ts';
import type { AdminOptions, Session } from '../../session.ts';
import { type Cell, table } from '../../table.ts';

export function keyList(group: Command, session: Session): void {
  const command = defineCommand(group, 'list', {
    summary: 'list the API keys of a project',
    examples: ['brume key list shop', 'brume key list shop --json'],
  }).argument('<project>', 'name or id', name);
  withAdminOptions(command).action((project: string, options: AdminOptions) =>
    session.ask(options, async (client) => {
      const items = await client.listKeys(project);
      const text = items.length === 0 ? NONE : table(HEADINGS, items.map(row));
      return { json: { items }, text };
    }),
  );
}

const NONE = 'This project has no keys. Create one with: brume key create PROJECT NAME';
const HEADINGS = [
  'NAME',
  'ID',
  'BEGINS WITH',
  'KIND',
  'SCOPES',
  'CREATED',
  'EXPIRES',
  'REVOKED',
  'LAST USED',
];

function row(key: ApiKey): Cell[] {
  const { prefix, kind, scopes, createdAt, expiresAt, revokedAt, lastUsedAt } = key;
  const times = [createdAt, expiresAt, revokedAt, lastUsedAt].map(formatTime);
  return [key.name, key.id, prefix, kind, scopes.join(','), ...times];
}
