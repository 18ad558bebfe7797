import type { Command } from 'commander';
import { name, wholeNumber } from '../../arguments.ts';
import { defineCommand, withAdminOptions } from '../../define-command.ts';
import { changeRead, type ExpectOptions, withExpect } from '../../expect-option.ts';
import { printable } from '../../printable.ts';
import type { Session } from '../../session.ts';
import { UsageError } from '../../usage-error.ts';

interface Options extends ExpectOptions {
  readonly name?: string;
  readonly callsPerDay?: number;
}

export function tierSet(group: Command, session: Session): void {
  const command = defineCommand(group, 'set', {
    summary: 'change the name or the calls of a tier',
    description: 'Changes what the options name, for all projects that have the tier.',
    examples: ['brume tier set free --calls-per-day 20000', 'brume tier set free --name trial'],
  })
    .argument('<tier>', 'name or id', name)
    .option('--name <name>', 'its new name', name)
    .option('--calls-per-day <n>', 'how many calls a project may make a day', wholeNumber);
  withAdminOptions(withExpect(command)).action((tier: string, options: Options) => {
    if (options.name === undefined && options.callsPerDay === undefined) {
      throw new UsageError('Say what is to be different: --name NAME or --calls-per-day N.');
    }
    return session.ask(options, async (client) => {
      const json = await changeRead(
        options,
        () => client.tiers.show(tier),
        (current, expected) => {
          const to = {
            name: options.name ?? current.name,
            callsPerDay: options.callsPerDay ?? current.callsPerDay,
          };
          return client.tiers.update(current.id, to, expected);
        },
      );
      return { json, text: printable(`Tier ${json.name} (${json.id}) is ${json.callsPerDay} calls a day.`) };
    });
  });
}
