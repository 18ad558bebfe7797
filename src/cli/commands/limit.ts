import type { Command } from 'commander';
import { defineCheckCommand } from '../check-command.ts';
import type { Session } from '../session.ts';

export function limitCommand(program: Command, session: Session): void {
  defineCheckCommand(program, session, {
    name: 'limit',
    summary: 'check an identifier and consume',
    description:
      'Checks an identifier and consumes, as a program would. Exit code 0 if allowed, 1 if denied.',
    examples: [
      'brume limit shop login 203.0.113.9',
      'brume limit shop api user-42 --cost 5 --json',
      'brume limit shop api user-42 --request-id order-1017',
      'brume limit shop api -- -starts-with-a-dash',
    ],
    withOptions: (command) =>
      command.option(
        '--request-id <id>',
        'a retry with the same id within a minute gets the first answer and consumes nothing',
      ),
    call: (client, project, check) => client.limit(project, check),
  });
}
