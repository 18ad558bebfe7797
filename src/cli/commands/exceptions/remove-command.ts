import type { Command } from 'commander';
import { ApiError } from '../../../client/api-error.ts';
import { name } from '../../arguments.ts';
import { defineCommand, withAdminOptions } from '../../define-command.ts';
import { localTime } from '../../moment.ts';
import { printable } from '../../printable.ts';
import { type ProjectOptions, projectOf, withProjectOption } from '../../project-option.ts';
import type { Session } from '../../session.ts';
import type { ExceptionWords } from './exception-words.ts';
import { namingFlags } from './naming-flags.ts';

/** `remove` of one kind. */
export function defineRemoveCommand(
  group: Command,
  session: Session,
  { group: typed, collection, noun }: ExceptionWords,
): void {
  const command = defineCommand(group, 'remove', {
    summary: `remove ${noun === 'block' ? 'a block' : `an ${noun}`}`,
    description: `Removes the ${noun} of exactly this match. Another exception, or the rule, decides from then on.`,
    examples: [`brume ${typed} remove login 203.0.113.7`],
  })
    .argument('<namespace>', 'name', name)
    .argument('<match>', 'as list shows it');
  withAdminOptions(withProjectOption(command)).action(
    (namespace: string, match: string, options: ProjectOptions) =>
      session.ask(options, async (client) => {
        const project = await projectOf(client, options);
        const place = { project, namespace, collection };
        const { items } = await namingFlags(client.exceptions.list(place, { match }));
        const [found] = items;
        if (found === undefined)
          throw nothingThere(noun, match, `${namespace} of ${project}`, `${typed} list ${namespace}`);
        const json = await client.exceptions.remove(place, found.id);
        const since = `by ${json.author}, since ${localTime(json.createdAt)}`;
        return {
          json,
          text: printable(`Removed the ${noun} of ${json.match} (${since}) from ${namespace} of ${project}.`),
        };
      }),
  );
}

function nothingThere(noun: string, match: string, where: string, list: string): ApiError {
  const detail = `There is no ${noun} of ${match} in ${where}. Look with: brume ${list}`;
  return new ApiError({ status: 404, code: 'unknown_exception', title: detail });
}
