import type { Command } from 'commander';
import { name } from '../../arguments.ts';
import { defineCommand, withAdminOptions } from '../../define-command.ts';
import { printable } from '../../printable.ts';
import type { AdminOptions, Session } from '../../session.ts';

interface Options extends AdminOptions {
  readonly issuer: string;
  readonly subject: string;
}

export function userLink(group: Command, session: Session): void {
  const command = defineCommand(group, 'link', {
    summary: 'let a user sign in by an identity provider',
    description:
      'Links a user to a subject of an identity provider (BRUME_OIDC_ISSUER). Never to an e-mail address, which could change hands.',
    examples: ['brume user link anna --issuer https://id.example.org --subject 248289761001'],
  })
    .argument('<user>', 'login or id', name)
    .requiredOption('--issuer <issuer>', 'as it stands in the tokens of the provider', name)
    .requiredOption('--subject <subject>', 'who it is there: "sub" in the tokens', name);
  withAdminOptions(command).action((user: string, { issuer, subject, ...options }: Options) =>
    session.ask(options, async (client) => {
      await client.users.link(user, issuer, subject);
      const text = `${user} is linked to ${subject} of ${issuer}.`;
      return { json: { linked: true }, text: printable(text) };
    }),
  );
}
