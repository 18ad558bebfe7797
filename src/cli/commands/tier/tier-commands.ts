import type { Command } from 'commander';
import { defineGroup } from '../../define-command.ts';
import type { Session } from '../../session.ts';
import { tierCreate } from './create.ts';
import { tierDelete } from './delete.ts';
import { tierList } from './list.ts';
import { tierSet } from './set.ts';
import { tierShow } from './show.ts';

export function tierCommands(program: Command, session: Session): void {
  const group = defineGroup(program, 'tier', 'manage tiers: ceilings of calls a day for projects');
  tierCreate(group, session);
  tierList(group, session);
  tierShow(group, session);
  tierSet(group, session);
  tierDelete(group, session);
}
