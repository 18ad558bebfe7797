import type { Command } from 'commander';
import type { WhoAmI } from '../../client/resources.ts';
import { defineCommand, withAdminOptions } from '../define-command.ts';
import { printable } from '../printable.ts';
import type { AdminOptions, Session } from '../session.ts';
import { table } from '../table.ts';
import { UsageError } from '../usage-error.ts';

export function whoAmI(program: Command, session: Session): void {
  const command = defineCommand(program, 'whoami', {
    summary: 'show whose token it is and what it may do',
    description:
      'Shows whose token it is, and the roles that it has now. With --url only: over the admin socket no token is needed, and everything may be done.',
    examples: ['brume whoami --url https://brume.example.org --token-file ./token'],
  });
  withAdminOptions(command).action((options: AdminOptions) => {
    if (options.url === undefined) {
      throw new UsageError('Over the admin socket no token is needed. Name a management plane with --url.');
    }
    return session.ask(options, async (client) => {
      const json = await client.whoAmI();
      return { json, text: text(json) };
    });
  });
}

function text({ name, organisations }: WhoAmI): string {
  if (organisations.length === 0) return printable(`${name}, without a role in any organisation.`);
  const rows = organisations.map((organisation) => [organisation.name, organisation.role]);
  return `${printable(name)}\n\n${table(['ORGANISATION', 'ROLE'], rows)}`;
}
