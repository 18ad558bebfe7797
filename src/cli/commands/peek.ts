import type { Command } from 'commander';
import { defineCheckCommand } from '../check-command.ts';
import type { Session } from '../session.ts';

export function peekCommand(program: Command, session: Session): void {
  defineCheckCommand(program, session, {
    name: 'peek',
    summary: 'check an identifier and consume nothing',
    description:
      'Gives the verdict that limit would give, and consumes nothing. Exit code 0 if allowed, 1 if denied.',
    examples: ['brume peek shop login 203.0.113.9', 'brume peek shop api user-42 --json'],
    call: (client, project, check) => client.peek(project, check),
  });
}
