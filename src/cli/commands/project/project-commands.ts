import type { Command } from 'commander';
import { defineGroup } from '../../define-command.ts';
import type { Session } from '../../session.ts';
import { projectCreate } from './create.ts';
import { projectDelete } from './delete.ts';
import { projectList } from './list.ts';
import { projectShow } from './show.ts';
import { projectTier } from './tier.ts';

export function projectCommands(program: Command, session: Session): void {
  const group = defineGroup(program, 'project', 'manage projects: a project owns API keys and namespaces');
  projectCreate(group, session);
  projectList(group, session);
  projectShow(group, session);
  projectTier(group, session);
  projectDelete(group, session);
}
