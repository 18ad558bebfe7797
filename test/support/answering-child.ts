import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Starts a server, and again where it ends at once, since somebody has its port for a moment; resolves with
 * the child when `ping` does. Rejects if that takes more than 10 s.
 */
export async function answeringChild(
  run: () => ChildProcess,
  ping: () => Promise<unknown>,
): Promise<ChildProcess> {
  const endMs = Date.now() + 10_000;
  for (;;) {
    const child = run();
    const ended = once(child, 'exit').then(() => false);
    const late = delay(Math.max(0, endMs - Date.now()), false, { ref: false });
    const isUp = await Promise.race([ping().then(() => true), ended, late]);
    if (isUp) return child;
    child.kill('SIGKILL');
    if (Date.now() > endMs) throw new Error(`${child.spawnargs.join(' ')} does not come up`);
    await delay(100);
  }
}
