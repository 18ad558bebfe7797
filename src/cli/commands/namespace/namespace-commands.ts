import type { Command } from 'commander';
import { defineGroup } from '../../define-command.ts';
import type { Session } from '../../session.ts';
import { namespaceCreate } from './create.ts';
import { namespaceDelete } from './delete.ts';
import { namespaceList } from './list.ts';
import { namespaceShow } from './show.ts';
import { namespaceUpdate } from './update.ts';

export function namespaceCommands(program: Command, session: Session): void {
  const group = defineGroup(program, 'namespace', 'manage namespaces: a namespace holds one rule');
  namespaceCreate(group, session);
  namespaceList(group, session);
  namespaceShow(group, session);
  namespaceUpdate(group, session);
  namespaceDelete(group, session);
}
