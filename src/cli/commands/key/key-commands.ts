import type { Command } from 'commander';
import { defineGroup } from '../../define-command.ts';
import type { Session } from '../../session.ts';
import { keyCreate } from './create.ts';
import { keyList } from './list.ts';
import { keyRevoke } from './revoke.ts';
import { keyRotate } from './rotate.ts';
import { keyShow } from './show.ts';

export function keyCommands(program: Command, session: Session): void {
  const group = defineGroup(program, 'key', 'manage the API keys of a project');
  keyCreate(group, session);
  keyList(group, session);
  keyShow(group, session);
  keyRotate(group, session);
  keyRevoke(group, session);
}
