import type { Command } from 'commander';
import { name } from '../../arguments.ts';
import { defineCommand, withAdminOptions } from '../../define-command.ts';
import { printable } from '../../printable.ts';
import type { AdminOptions, Session } from '../../session.ts';

interface Options extends AdminOptions {
  readonly issuer: string;
  readonly subject: string;
}

export function userUnlink(group: Command, session: Session): void {
  const command = defineCommand(group, 'unlink', {
    summary: 'end a link to an identity provider',
    description:
      'Ends the link of a user to a subject of an identity provider, from the next request on. brume user identities USER shows which there are.',
    examples: ['brume user unlink anna --issuer https://id.example.org --subject 248289761001'],
  })
    .argument('<user>', 'login or id', name)
    .requiredOption('--issuer <issuer>', 'as the list of identities shows it', name)
    .requiredOption('--subject <subject>', 'as the list of identities shows it', name);
  withAdminOptions(command).action((user: string, { issuer, subject, ...options }: Options) =>
    session.ask(options, async (client) => {
      await client.users.unlink(user, issuer, subject);
      const text = `${user} is no longer linked to ${subject} of ${issuer}.`;
      return { json: { unlinked: true }, text: printable(text) };
    }),
  );
}
