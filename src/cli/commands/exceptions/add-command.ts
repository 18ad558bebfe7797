import type { Command } from 'commander';
import { name } from '../../arguments.ts';
import { withYes } from '../../confirm-delete.ts';
import { defineCommand, type Words, withAdminOptions } from '../../define-command.ts';
import { type ProjectOptions, projectOf, withProjectOption } from '../../project-option.ts';
import type { Session } from '../../session.ts';
import { present } from '../namespace/spec.ts';
import { confirmEverybody, everybodyWarning, NOT_BLOCKED } from './confirm-everybody.ts';
import { type EndOptions, endOf, withEndOptions } from './end-options.ts';
import { sentence } from './exception-text.ts';
import type { ExceptionWords } from './exception-words.ts';
import type { LimitsOptions, WithLimits } from './limits-options.ts';
import { namingFlags } from './naming-flags.ts';
import { warningsOf } from './rivals.ts';

interface AddOptions extends ProjectOptions, EndOptions, LimitsOptions {
  readonly reason?: string;
  readonly replace?: boolean;
  readonly yes?: boolean;
}

interface AddWords extends Words, WithLimits {}

/** `add` of one kind. */
export function defineAddCommand(
  group: Command,
  session: Session,
  kind: ExceptionWords,
  words: AddWords,
): void {
  const { collection } = kind;
  const command = defineCommand(group, 'add', words)
    .argument('<namespace>', 'name', name)
    .argument(
      '<match>',
      'an identifier, or text with * for any run of characters; in a namespace of kind ip an address or a CIDR block',
    );
  words.withOptions?.(command);
  withEndOptions(command)
    .option('--reason <text>', 'why, for those who come after you; at most 500 characters')
    .option('--replace', 'take the place of what is there for the same match');
  if (collection === 'blocks') withYes(command);
  withAdminOptions(withProjectOption(command)).action(
    (namespace: string, match: string, options: AddOptions) =>
      session.ask(options, async (client) => {
        const everybody = everybodyWarning(kind, namespace, [match]);
        if (!(await confirmEverybody(session.terminal, everybody, options))) return NOT_BLOCKED;
        const limits = words.limitsOf?.(options);
        const { reason, replace = false } = options;
        const exception = { match, ...present({ limits, reason, expiresAt: endOf(options) }) };
        const project = await projectOf(client, options);
        const place = { project, namespace, collection };
        const added = await namingFlags(client.exceptions.add(place, exception, { replace }));
        const nowMs = Date.now();
        const rivals = await warningsOf(client, place, added, nowMs);
        const warnings = everybody === undefined ? rivals : [everybody, ...rivals];
        const lines = warnings.map((warning) => `Warning: ${warning}`);
        return {
          json: { ...added, warnings },
          text: [sentence(added, `${namespace} of ${project}`, nowMs), ...lines].join('\n'),
        };
      }),
  );
}
