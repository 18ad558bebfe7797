import type { Command } from 'commander';
import { name } from '../../arguments.ts';
import { defineCommand, withAdminOptions } from '../../define-command.ts';
import { type ExpectOptions, expectedBy, withExpect } from '../../expect-option.ts';
import { localTime } from '../../moment.ts';
import { printable } from '../../printable.ts';
import { type ProjectOptions, projectOf, withProjectOption } from '../../project-option.ts';
import type { Session } from '../../session.ts';
import type { ExceptionWords } from './exception-words.ts';
import { foundException } from './found-exception.ts';

/** `remove` of one kind. */
export function defineRemoveCommand(group: Command, session: Session, words: ExceptionWords): void {
  const { group: typed, collection, noun, one } = words;
  const command = defineCommand(group, 'remove', {
    summary: `remove ${one}`,
    description: `Removes the ${noun} of exactly this match. Another exception, or the rule, decides from then on.`,
    examples: [`brume ${typed} remove login 203.0.113.7`],
  })
    .argument('<namespace>', 'name', name)
    .argument('<match>', 'as list shows it');
  withAdminOptions(withExpect(withProjectOption(command))).action(
    (namespace: string, match: string, options: ProjectOptions & ExpectOptions) =>
      session.ask(options, async (client) => {
        const project = await projectOf(client, options);
        const place = { project, namespace, collection };
        const { id } = await foundException(client, place, match, words);
        const json = await client.exceptions.remove(place, id, expectedBy(options));
        const since = `by ${json.author}, since ${localTime(json.createdAt)}`;
        return {
          json,
          text: printable(`Removed the ${noun} of ${json.match} (${since}) from ${namespace} of ${project}.`),
        };
      }),
  );
}
