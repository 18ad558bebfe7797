import type { Command } from 'commander';
import { durationMs, name } from '../../arguments.ts';
import { defineCommand, withAdminOptions } from '../../define-command.ts';
import { formatTime } from '../../duration.ts';
import { printable } from '../../printable.ts';
import { roleOption } from '../../role.ts';
import type { AdminOptions, Session } from '../../session.ts';
import { timeFromNow } from '../../time-from-now.ts';

interface Options extends AdminOptions {
  readonly role: string;
  readonly expiresIn: number;
}

export function tokenCreate(group: Command, session: Session): void {
  const command = defineCommand(group, 'create', {
    summary: 'create a management token and show it once',
    description:
      'Creates a token of the management API, for a program, and shows it, this once: Brume keeps only its hash. It never allows more than whoever made it may.',
    examples: [
      'brume token create default deploy --role developer --expires-in 90d',
      'brume token create shop terraform --role admin --expires-in 30d --json | jq -r .token',
    ],
  })
    .argument('<organisation>', 'name or id', name)
    .argument('<name>', 'what to call the token', name)
    .addOption(roleOption('what the token may do').makeOptionMandatory())
    .requiredOption('--expires-in <duration>', 'ends after 12h, 30d, …; at most 365d', durationMs);
  withAdminOptions(command).action(
    (organisation: string, tokenName: string, { role, expiresIn, ...options }: Options) =>
      session.ask(options, async (client) => {
        const json = await client.organisations.createToken(organisation, {
          name: tokenName,
          role,
          expiresAt: timeFromNow(expiresIn),
        });
        const text = [
          `Created token ${json.name} (${json.id}), ${json.role} until ${formatTime(json.expiresAt)}. It is shown this once; keep it safe:`,
          json.token,
        ];
        return { json, text: text.map(printable).join('\n') };
      }),
  );
}
