import type { Command } from 'commander';
import type { ApiClient } from '../client/api-client.ts';
import type { Check, Verdict } from '../client/resources.ts';
import { name, wholeNumber } from './arguments.ts';
import { defineCommand, type Words, withAdminOptions } from './define-command.ts';
import { EXIT } from './failure.ts';
import type { AdminOptions, Session } from './session.ts';
import { verdictText } from './verdict-text.ts';

interface Options extends AdminOptions {
  readonly cost?: number;
  readonly requestId?: string;
}

/** `limit` and `peek` take and show the same; they differ in the call that they make. */
export function defineCheckCommand(
  program: Command,
  session: Session,
  command: Words & {
    readonly name: string;
    /** Adds options of its own. */
    withOptions?(command: Command): void;
    call(client: ApiClient, project: string, check: Check): Promise<Verdict>;
  },
): void {
  const defined = defineCommand(program, command.name, command)
    .argument('<project>', 'name or id', name)
    .argument('<namespace>', 'name', name)
    .argument('<identifier>', 'who is limited: a user, an address, a key')
    .option('--cost <n>', 'what the check costs (default: 1)', wholeNumber);
  command.withOptions?.(defined);
  withAdminOptions(defined).action(
    (project: string, namespace: string, identifier: string, { cost, requestId, ...options }: Options) =>
      session.ask(options, async (client) => {
        const check = {
          namespace,
          identifier,
          ...(cost === undefined ? {} : { cost }),
          ...(requestId === undefined ? {} : { requestId }),
        };
        const json = await command.call(client, project, check);
        return { json, text: verdictText(json), exitCode: json.success ? 0 : EXIT.refused };
      }),
  );
}
