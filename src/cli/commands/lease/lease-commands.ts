import type { Command } from 'commander';
import { defineGroup } from '../../define-command.ts';
import type { Session } from '../../session.ts';
import { leaseList } from './list.ts';
import { leaseRelease } from './release.ts';

export function leaseCommands(program: Command, session: Session): void {
  const group = defineGroup(program, 'lease', 'look at the leases of a limit of concurrency');
  leaseList(group, session);
  leaseRelease(group, session);
}
