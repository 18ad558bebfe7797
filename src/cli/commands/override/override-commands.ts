import type { Command } from 'commander';
import { defineGroup } from '../../define-command.ts';
import type { Session } from '../../session.ts';
import { defineAddCommand } from '../exceptions/add-command.ts';
import { OVERRIDE } from '../exceptions/exception-words.ts';
import { defineImportCommand } from '../exceptions/import-command.ts';
import { defineListCommand } from '../exceptions/list-command.ts';
import { defineRemoveCommand } from '../exceptions/remove-command.ts';
import { defineUpdateCommand } from '../exceptions/update-command.ts';
import { changedLimitOverrides, limitOverrides, withOverrideOptions } from './override-spec.ts';

export function overrideCommands(program: Command, session: Session): void {
  const group = defineGroup(program, 'override', 'give identifiers other numbers than the rule has');
  defineAddCommand(group, session, OVERRIDE, {
    summary: 'give an identifier, or each that matches, its own numbers',
    description:
      'Gives an identifier, or each that matches, its own numbers for the limits and quotas of the rule. What is not said stays as the rule has it, also when the rule changes. What was used stays used.',
    examples: [
      'brume override add api customer-7 --limit 1000 --reason "contract 2026-118"',
      'brume override add api "beta-*" --limit 200 --burst 50 --for 30d',
      'brume override add api customer-7 --set name=minute,limit=600,burst=20 --set name=month,limit=50000',
    ],
    withOptions: withOverrideOptions,
    limitsOf: limitOverrides,
  });
  defineListCommand(group, session, OVERRIDE);
  defineUpdateCommand(group, session, OVERRIDE, {
    withOptions: withOverrideOptions,
    limitsOf: changedLimitOverrides,
  });
  defineRemoveCommand(group, session, OVERRIDE);
  defineImportCommand(group, session, OVERRIDE, {
    withOptions: withOverrideOptions,
    limitsOf: limitOverrides,
  });
}
