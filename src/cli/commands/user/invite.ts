import type { Command } from 'commander';
import type { ApiClient } from '../../../client/api-client.ts';
import { ApiError } from '../../../client/api-error.ts';
import type { Invitation } from '../../../client/users.ts';
import { name } from '../../arguments.ts';
import { defineCommand, withAdminOptions } from '../../define-command.ts';
import { formatTime } from '../../duration.ts';
import { printable } from '../../printable.ts';
import { DEFAULT_ORGANISATION, roleOption } from '../../role.ts';
import type { AdminOptions, Session } from '../../session.ts';
import { UsageError } from '../../usage-error.ts';

interface Options extends AdminOptions {
  readonly organisation?: string;
  readonly role?: string;
}

export function userInvite(group: Command, session: Session): void {
  const command = defineCommand(group, 'invite', {
    summary: 'make a one-time link by which somebody sets a password',
    description:
      'Makes a link by which somebody sets a password, once, within 24 hours: a new user, or one who has forgotten it. With --role the user becomes a member too.',
    examples: [
      'sudo brume user invite anna --role owner',
      'brume user invite bert --organisation shop --role developer',
      'brume user invite anna',
    ],
  })
    .argument('<login>', 'a-z, 0-9, ".", "_" and "-", at most 64 characters', name)
    .option('--organisation <organisation>', `name or id (default: ${DEFAULT_ORGANISATION})`, name)
    .addOption(roleOption('role in the organisation; without it memberships stay as they are'));
  withAdminOptions(command).action((login: string, { organisation, role, ...options }: Options) => {
    if (organisation !== undefined && role === undefined) {
      throw new UsageError('--organisation needs --role: as what should the user be a member?');
    }
    return session.ask(options, async (client) => {
      await createUnlessThere(client, login);
      if (role !== undefined) {
        await client.organisations.setMember(organisation ?? DEFAULT_ORGANISATION, login, role);
      }
      const json = await client.users.invite(login);
      return { json, text: text(json) };
    });
  });
}

async function createUnlessThere(client: ApiClient, login: string): Promise<void> {
  try {
    await client.users.create(login);
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'conflict')) throw error;
  }
}

function text({ login, url, token, expiresAt }: Invitation): string {
  const body = JSON.stringify({ token, password: '…' });
  const accept = new URL('v1/invitations/accept', url).href;
  return [
    printable(`Link for ${login}, good once and until ${formatTime(expiresAt)}. It is shown this once:`),
    printable(url),
    '',
    'Without a browser, with a password of 12 to 256 characters:',
    // By standard input: arguments can be read in the list of processes.
    printable(`curl -H 'content-type: application/json' -d @- ${accept} <<'END'`),
    printable(body),
    'END',
  ].join('\n');
}
