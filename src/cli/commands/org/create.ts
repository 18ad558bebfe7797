import type { Command } from 'commander';
import { name } from '../../arguments.ts';
import { defineCommand, withAdminOptions } from '../../define-command.ts';
import { type ExpectOptions, expectedBy, withExpect } from '../../expect-option.ts';
import { printable } from '../../printable.ts';
import type { AdminOptions, Session } from '../../session.ts';

export function orgCreate(group: Command, session: Session): void {
  const command = defineCommand(group, 'create', {
    summary: 'create an organisation',
    examples: ['brume org create shop', 'brume org create shop --json'],
  }).argument('<name>', 'a-z, 0-9, ".", "_" and "-", at most 64 characters', name);
  withAdminOptions(command).action((organisation: string, options: AdminOptions) =>
    session.ask(options, async (client) => {
      const json = await client.organisations.create(organisation);
      return { json, text: printable(`Created organisation ${json.name} (${json.id}).`) };
    }),
  );
}

export function orgRename(group: Command, session: Session): void {
  const command = defineCommand(group, 'rename', {
    summary: 'rename an organisation',
    examples: ['brume org rename shop store'],
  })
    .argument('<organisation>', 'name or id', name)
    .argument('<name>', 'its new name', name);
  withAdminOptions(withExpect(command)).action(
    (organisation: string, newName: string, options: ExpectOptions) =>
      session.ask(options, async (client) => {
        const json = await client.organisations.rename(organisation, newName, expectedBy(options));
        return { json, text: printable(`${organisation} is named ${json.name} now.`) };
      }),
  );
}
