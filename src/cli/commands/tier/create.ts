import type { Command } from 'commander';
import { name, wholeNumber } from '../../arguments.ts';
import { defineCommand, withAdminOptions } from '../../define-command.ts';
import { printable } from '../../printable.ts';
import type { AdminOptions, Session } from '../../session.ts';

interface Options extends AdminOptions {
  readonly callsPerDay: number;
}

export function tierCreate(group: Command, session: Session): void {
  const command = defineCommand(group, 'create', {
    summary: 'create a tier',
    description: 'Creates a tier. It holds for nobody until a project is given it: brume project tier.',
    examples: ['brume tier create free --calls-per-day 10000'],
  })
    .argument('<name>', 'a-z, 0-9, ".", "_" and "-", at most 64 characters', name)
    .requiredOption(
      '--calls-per-day <n>',
      'how many calls a project may make, from midnight to midnight UTC',
      wholeNumber,
    );
  withAdminOptions(command).action((tier: string, { callsPerDay, ...options }: Options) =>
    session.ask(options, async (client) => {
      const json = await client.tiers.create({ name: tier, callsPerDay });
      return {
        json,
        text: printable(`Created tier ${json.name} (${json.id}): ${json.callsPerDay} calls a day.`),
      };
    }),
  );
}
