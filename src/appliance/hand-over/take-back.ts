import { setTimeout as delay } from 'node:timers/promises';
import { lockStateDir, type StateDirLock } from '../../stores/sql/state-dir-lock.ts';
import { isPidGone } from '../this-node.ts';
import type { Holder } from './offer.ts';

/** So long it may take to give the stores up by itself. */
const GIVING_UP_MS = 500;
const WITHIN_MS = 30_000;
const LOOK_EVERY_MS = 5;

/**
 * The lock of a process that was given the stores and does not serve. It ends by itself when it is told to, or
 * has ended; one that does not even hear that is killed.
 *
 * Rejects with StateDirError if it has the lock all the same.
 */
export async function takeBack(stateDir: string, { pid, isReachable }: Holder): Promise<StateDirLock> {
  const startedMs = performance.now();
  let isKilled = false;
  for (;;) {
    try {
      return lockStateDir(stateDir);
    } catch (error) {
      const passedMs = performance.now() - startedMs;
      if (passedMs >= WITHIN_MS) throw error;
      if (passedMs >= GIVING_UP_MS && !isKilled && isReachable() && !isPidGone(pid)) {
        process.kill(pid, 'SIGKILL');
        isKilled = true;
      }
      await delay(LOOK_EVERY_MS);
    }
  }
}
