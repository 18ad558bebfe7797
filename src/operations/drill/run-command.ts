import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { OperationError } from '../operation-error.ts';

/** So long a command that is told to end may take for it. */
const GRACE_MS = 5000;
const LOOK_EVERY_MS = 50;

/**
 * Runs a shell command; what it prints is shown. Rejects with an OperationError unless it ends with 0, and once it is
 * aborted: then with the signal's reason, when neither it nor anything that it started is left.
 *
 * It has a process group of its own, so that it can be ended as a whole and a Ctrl-C is not its own, and therefore no
 * terminal: what would ask for a password fails instead of waiting where nobody answers.
 */
export async function runCommand(command: string, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const child = spawn('/bin/sh', ['-c', command], { stdio: ['ignore', 2, 2], detached: true });
  const { pid } = child;
  let ending: Promise<void> | undefined;
  const end = () => {
    if (pid !== undefined) ending = endGroup(pid);
  };
  signal.addEventListener('abort', end, { once: true });
  try {
    const how = await new Promise<NodeJS.Signals | number | null>((resolve, reject) => {
      child.once('error', (error) => reject(new OperationError(`${command}: ${error.message}`)));
      child.once('close', (code, killedBy) => resolve(killedBy ?? code));
    });
    await ending;
    signal.throwIfAborted();
    if (how !== 0) throw new OperationError(`It ended with ${how}: ${command}`);
  } finally {
    signal.removeEventListener('abort', end);
  }
}

async function endGroup(leader: number): Promise<void> {
  const untilMs = performance.now() + GRACE_MS;
  for (let isThere = tell(leader, 'SIGTERM'); isThere; isThere = tell(leader, 0)) {
    if (performance.now() >= untilMs) {
      tell(leader, 'SIGKILL');
      return;
    }
    await delay(LOOK_EVERY_MS);
  }
}

/** False: nobody is left in that group. */
function tell(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-leader, signal);
  } catch {
    return false;
  }
}
