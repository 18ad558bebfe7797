import type { Command } from 'commander';
import { defineGroup } from '../../define-command.ts';
import type { Session } from '../../session.ts';
import { tokenCreate } from './create.ts';
import { tokenList } from './list.ts';
import { tokenRevoke } from './revoke.ts';

export function tokenCommands(program: Command, session: Session): void {
  const group = defineGroup(program, 'token', 'manage the tokens by which programs use the management API');
  tokenCreate(group, session);
  tokenList(group, session);
  tokenRevoke(group, session);
}
