import type { Command } from 'commander';
import type { ManagementToken } from '../../../client/organisations.ts';
import { name } from '../../arguments.ts';
import { defineCommand, withAdminOptions } from '../../define-command.ts';
import { formatTime } from '../../duration.ts';
import type { AdminOptions, Session } from '../../session.ts';
import { type Cell, table } from '../../table.ts';

export function tokenList(group: Command, session: Session): void {
  const command = defineCommand(group, 'list', {
    summary: 'list the management tokens of an organisation',
    examples: ['brume token list default', 'brume token list default --json'],
  }).argument('<organisation>', 'name or id', name);
  withAdminOptions(command).action((organisation: string, options: AdminOptions) =>
    session.ask(options, async (client) => {
      const items = await client.organisations.listTokens(organisation);
      return { json: { items }, text: items.length === 0 ? NONE : table(HEADINGS, items.map(row)) };
    }),
  );
}

const NONE =
  'There are no tokens. Create one with: brume token create ORGANISATION NAME --role ROLE --expires-in 90d';
const HEADINGS = ['NAME', 'ID', 'BEGINS WITH', 'ROLE', 'CREATED', 'EXPIRES', 'REVOKED', 'LAST USED'];

function row(token: ManagementToken): Cell[] {
  const { prefix, role, createdAt, expiresAt, revokedAt, lastUsedAt } = token;
  return [
    token.name,
    token.id,
    prefix,
    role,
    ...[createdAt, expiresAt, revokedAt, lastUsedAt].map(formatTime),
  ];
}
