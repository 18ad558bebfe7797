import { userInfo } from 'node:os';
import { type Environment, processEnvironment } from './environment.ts';

/** Who sits at the command line, as far as that can be told: behind sudo, who called it. */
export function localUser(env: Environment = processEnvironment()): string {
  const { SUDO_USER: caller } = env;
  if (caller !== undefined && caller !== '') return caller;
  try {
    return userInfo().username;
  } catch {
    // A container may run under a number that has no name.
    return `uid-${process.getuid?.()}`;
  }
}
