import type { Command } from 'commander';
import { defineGroup } from '../../define-command.ts';
import type { Session } from '../../session.ts';
import { rulesApply } from './apply.ts';
import { rulesDiff } from './diff.ts';
import { rulesExport } from './export.ts';
import { rulesHistory } from './history.ts';
import { rulesRollback } from './rollback.ts';
import { rulesSchema } from './schema.ts';

export function rulesCommands(program: Command, session: Session): void {
  const group = defineGroup(program, 'rules', "keep a project's rules as a file, see and undo what changed");
  rulesApply(group, session);
  rulesDiff(group, session);
  rulesExport(group, session);
  rulesHistory(group, session);
  rulesRollback(group, session);
  rulesSchema(group, session);
}
