import type { Command } from 'commander';
import { defineGroup } from '../../define-command.ts';
import type { Session } from '../../session.ts';
import { defineAddCommand } from '../exceptions/add-command.ts';
import { EXEMPTION } from '../exceptions/exception-words.ts';
import { defineImportCommand } from '../exceptions/import-command.ts';
import { defineListCommand } from '../exceptions/list-command.ts';
import { defineRemoveCommand } from '../exceptions/remove-command.ts';
import { defineUpdateCommand } from '../exceptions/update-command.ts';

export function exemptCommands(program: Command, session: Session): void {
  const group = defineGroup(program, 'exempt', 'allow identifiers, whatever they have used');
  defineAddCommand(group, session, EXEMPTION, {
    summary: 'allow an identifier, or all that match, from now on',
    description:
      'Allows an identifier, or all that match, from now on: for a time or until the exemption is removed. What it lets pass is not counted.',
    examples: [
      'brume exempt add login 198.51.100.0/24 --reason "our office"',
      'brume exempt add api monitoring --for 7d',
    ],
  });
  defineListCommand(group, session, EXEMPTION);
  defineUpdateCommand(group, session, EXEMPTION);
  defineRemoveCommand(group, session, EXEMPTION);
  defineImportCommand(group, session, EXEMPTION);
}
