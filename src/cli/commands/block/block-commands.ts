import type { Command } from 'commander';
import { defineGroup } from '../../define-command.ts';
import type { Session } from '../../session.ts';
import { defineAddCommand } from '../exceptions/add-command.ts';
import { BLOCK } from '../exceptions/exception-words.ts';
import { defineImportCommand } from '../exceptions/import-command.ts';
import { defineListCommand } from '../exceptions/list-command.ts';
import { defineRemoveCommand } from '../exceptions/remove-command.ts';
import { defineUpdateCommand } from '../exceptions/update-command.ts';
import { blockCheck } from './check.ts';

export function blockCommands(program: Command, session: Session): void {
  const group = defineGroup(program, 'block', 'deny identifiers, whatever they have left');
  defineAddCommand(group, session, BLOCK, {
    summary: 'deny an identifier, or all that match, from now on',
    description:
      'Denies an identifier, or all that match, from now on: for a time or until the block is removed. A block consumes nothing; when it ends, what was left before is left again.',
    examples: [
      'brume block add login 203.0.113.7 --for 2h --reason "password guessing"',
      'brume block add login 2001:db8::/32',
      'brume block add api "bot-*" --until 2030-01-31T12:00:00Z',
      'brume block add login 203.0.113.7 --for 1d --replace --project shop',
    ],
  });
  defineListCommand(group, session, BLOCK);
  blockCheck(group, session);
  defineUpdateCommand(group, session, BLOCK);
  defineRemoveCommand(group, session, BLOCK);
  defineImportCommand(group, session, BLOCK);
}
