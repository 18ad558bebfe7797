import { type Command, Option } from 'commander';
import type { Exception, LimitOverride, NewException } from '../../../client/exceptions.ts';
import { name } from '../../arguments.ts';
import { defineCommand, withAdminOptions } from '../../define-command.ts';
import { changeRead, type ExpectOptions, withExpect } from '../../expect-option.ts';
import { type ProjectOptions, projectOf, withProjectOption } from '../../project-option.ts';
import type { Session } from '../../session.ts';
import { UsageError } from '../../usage-error.ts';
import { type EndOptions, endOf, withEndOptions } from './end-options.ts';
import { sentence } from './exception-text.ts';
import type { ExceptionWords } from './exception-words.ts';
import { foundException } from './found-exception.ts';
import type { LimitsOptions, WithLimits } from './limits-options.ts';
import { namingFlags } from './naming-flags.ts';

interface Options extends ProjectOptions, EndOptions, ExpectOptions, LimitsOptions {
  readonly endless?: boolean;
  readonly reason?: string;
}

/** `update` of one kind. */
export function defineUpdateCommand(
  group: Command,
  session: Session,
  kind: ExceptionWords,
  words: WithLimits = {},
): void {
  const { group: typed, collection, noun, one } = kind;
  const command = defineCommand(group, 'update', {
    summary: `change the end or the reason of ${one}`,
    description: `Changes what the options name of the ${noun} of exactly this match, and leaves the rest as it is.`,
    examples: [
      `brume ${typed} update login 203.0.113.7 --for 2h`,
      `brume ${typed} update login 203.0.113.7 --endless --reason "asked for by support"`,
    ],
  })
    .argument('<namespace>', 'name', name)
    .argument('<match>', 'as list shows it');
  words.withOptions?.(command);
  withEndOptions(command)
    .addOption(new Option('--endless', 'until it is removed').conflicts(['for', 'until']))
    .option('--reason <text>', 'why, for those who come after you; at most 500 characters');
  withAdminOptions(withExpect(withProjectOption(command))).action(
    (namespace: string, match: string, options: Options) => {
      const limits = words.limitsOf?.(options);
      const said = saidBy(options, limits);
      return session.ask(options, async (client) => {
        const project = await projectOf(client, options);
        const place = { project, namespace, collection };
        const json = await changeRead(
          options,
          () => foundException(client, place, match, kind),
          (current, expected) =>
            namingFlags(client.exceptions.update(place, current.id, changed(current, said), expected)),
        );
        return { json, text: sentence(json, `${namespace} of ${project}`, Date.now()) };
      });
    },
  );
}

type Said = Partial<Omit<NewException, 'match'>>;

/** Throws UsageError if it is nothing. */
function saidBy(options: Options, limits: readonly LimitOverride[] | undefined): Said {
  const end = options.endless === true ? null : endOf(options);
  const { reason } = options;
  const said = {
    ...(limits !== undefined && { limits }),
    ...(end !== undefined && { expiresAt: end }),
    ...(reason !== undefined && { reason }),
  };
  if (Object.keys(said).length > 0) return said;
  throw new UsageError('What is to change? Give an option; --help lists them.');
}

/** What isn't said again would be gone. */
function changed({ limits, reason, expiresAt }: Exception, said: Said): Omit<NewException, 'match'> {
  return { ...(limits !== undefined && { limits }), reason, expiresAt, ...said };
}
