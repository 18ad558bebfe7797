import type { Command } from 'commander';
import { defineGroup } from '../../define-command.ts';
import type { Session } from '../../session.ts';
import { userDelete } from './delete.ts';
import { userDisable, userEnable } from './disable.ts';
import { userIdentities } from './identities.ts';
import { userInvite } from './invite.ts';
import { userLink } from './link.ts';
import { userList } from './list.ts';
import { userPassword } from './password.ts';
import { userSessions } from './sessions.ts';
import { userShow } from './show.ts';
import { userUnlink } from './unlink.ts';

export function userCommands(program: Command, session: Session): void {
  const group = defineGroup(program, 'user', 'manage who may sign in on the management plane');
  userInvite(group, session);
  userList(group, session);
  userShow(group, session);
  userDisable(group, session);
  userEnable(group, session);
  userDelete(group, session);
  userLink(group, session);
  userUnlink(group, session);
  userIdentities(group, session);
  userSessions(group, session);
  userPassword(group, session);
}
