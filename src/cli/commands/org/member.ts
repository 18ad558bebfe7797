import type { Command } from 'commander';
import { name } from '../../arguments.ts';
import { defineCommand, withAdminOptions } from '../../define-command.ts';
import { printable } from '../../printable.ts';
import { roleOption } from '../../role.ts';
import type { AdminOptions, Session } from '../../session.ts';

interface Options extends AdminOptions {
  readonly role: string;
}

/** Both set the role: `add` reads better where there was none. */
const VERBS = [
  { verb: 'add', summary: 'make a user a member of an organisation' },
  { verb: 'role', summary: "change a member's role" },
] as const;

export function orgSetMember(group: Command, session: Session): void {
  for (const { verb, summary } of VERBS) {
    const command = defineCommand(group, verb, {
      summary,
      examples: [`brume org ${verb} shop anna --role developer`],
    })
      .argument('<organisation>', 'name or id', name)
      .argument('<user>', 'login or id', name)
      .addOption(roleOption('what the member may do').makeOptionMandatory());
    withAdminOptions(command).action((organisation: string, user: string, { role, ...options }: Options) =>
      session.ask(options, async (client) => {
        const json = await client.organisations.setMember(organisation, user, role);
        return { json, text: printable(`${json.login} is ${json.role} of ${organisation}.`) };
      }),
    );
  }
}

export function orgRemove(group: Command, session: Session): void {
  const command = defineCommand(group, 'remove', {
    summary: 'end the membership of a user',
    description: 'Ends the membership of a user. The last owner stays: give the role to another one first.',
    examples: ['brume org remove shop anna'],
  })
    .argument('<organisation>', 'name or id', name)
    .argument('<user>', 'login or id', name);
  withAdminOptions(command).action((organisation: string, user: string, options: AdminOptions) =>
    session.ask(options, async (client) => {
      await client.organisations.removeMember(organisation, user);
      return {
        json: { removed: true },
        text: printable(`${user} is no member of ${organisation} any more.`),
      };
    }),
  );
}
