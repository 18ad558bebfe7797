import { type Command, Option } from 'commander';
import { name } from '../../arguments.ts';
import { defineCommand, withAdminOptions } from '../../define-command.ts';
import { type ExpectOptions, expectedBy, withExpect } from '../../expect-option.ts';
import { printable } from '../../printable.ts';
import type { Session } from '../../session.ts';
import { UsageError } from '../../usage-error.ts';

interface Options extends ExpectOptions {
  readonly none?: boolean;
}

export function projectTier(group: Command, session: Session): void {
  const command = defineCommand(group, 'tier', {
    summary: 'give a project a tier: a ceiling of calls a day',
    examples: ['brume project tier shop free', 'brume project tier shop --none'],
  })
    .argument('<project>', 'name or id', name)
    .argument('[tier]', 'name or id', name)
    .addOption(new Option('--none', 'take its tier away: no ceiling'));
  withAdminOptions(withExpect(command)).action(
    (project: string, tier: string | undefined, { none = false, ...options }: Options) => {
      if ((tier === undefined) !== none) throw new UsageError('Say one of the two: a tier, or --none.');
      return session.ask(options, async (client) => {
        const json = await client.tiers.setOfProject(project, tier ?? null, expectedBy(options));
        const has = tier === undefined ? 'no tier' : `the tier ${tier}`;
        return { json, text: printable(`${json.name} has ${has} now.`) };
      });
    },
  );
}
