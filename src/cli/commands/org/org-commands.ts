import type { Command } from 'commander';
import { defineGroup } from '../../define-command.ts';
import type { Session } from '../../session.ts';
import { orgCreate, orgRename } from './create.ts';
import { orgDelete } from './delete.ts';
import { orgList, orgMembers } from './list.ts';
import { orgRemove, orgSetMember } from './member.ts';
import { orgShow } from './show.ts';

export function orgCommands(program: Command, session: Session): void {
  const group = defineGroup(program, 'org', 'manage organisations, which own projects, and their members');
  orgCreate(group, session);
  orgList(group, session);
  orgShow(group, session);
  orgRename(group, session);
  orgDelete(group, session);
  orgMembers(group, session);
  orgSetMember(group, session);
  orgRemove(group, session);
}
