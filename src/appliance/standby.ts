import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../config/config.ts';
import { isStateDirHeld } from '../stores/sql/state-dir-lock.ts';
import type { Logger } from '../telemetry/log.ts';
import type { Notifier } from './systemd/notifier.ts';

/** How long after the drain of the process before this one its stores may take to close. */
const CLOSING_MS = 15_000;
const LOOK_EVERY_MS = 50;
/** And how long the rest of the start may take after that; as TimeoutStartSec= of the unit. */
const STARTING_MS = 180_000;

/** With this word the status begins in which `systemd/switch` ends the process before this one. */
const STANDBY = 'standby';

/**
 * For the second of two colours: what can be found at fault has been found by now, and the embedded stores
 * belong to the process that still serves. Says so, and waits until that has given them up; or for as long
 * as it may take to, after which opening them says what is the matter. False: it was told to stop meanwhile.
 */
export async function awaitStateDir(
  { stateDir, databaseUrl, redisUrl, drainMs }: Config,
  { log, notifier, stop }: { log: Logger; notifier: Notifier; stop: Promise<unknown> },
): Promise<boolean> {
  if (databaseUrl !== null && redisUrl !== null) return true;
  if (!isStateDirHeld(stateDir)) return true;
  notifier.status(`${STANDBY}: another process has ${stateDir}`);
  log.info({ stateDir }, 'standing by: another Brume has the state directory, until it is stopped');
  const withinMs = drainMs + CLOSING_MS;
  notifier.mayTake(withinMs + STARTING_MS);
  const endMs = performance.now() + withinMs;
  let isStopping = false;
  void stop.then(() => {
    isStopping = true;
  });
  while (!isStopping && performance.now() < endMs && isStateDirHeld(stateDir)) await delay(LOOK_EVERY_MS);
  return !isStopping;
}
