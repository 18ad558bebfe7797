import type { Logger } from '../telemetry/log.ts';
import type { PlaneServer } from './plane-server.ts';
import type { Readiness } from './readiness.ts';

/**
 * How long idle connections stay open: longer than the 2 s for which the shipped proxy snippets
 * keep theirs, so that the proxy lets go first and never sends into a closing connection.
 */
const IDLE_GRACE_MS = 3000;

export interface DrainOptions {
  readonly servers: readonly PlaneServer[];
  readonly readiness: Pick<Readiness, 'startDraining'>;
  readonly drainMs: number;
  readonly log: Logger;
  readonly idleGraceMs?: number;
}

/**
 * Stops serving without losing a request:
 * 1. /ready says 503; no new connections; every answer says `Connection: close`.
 * 2. Idle connections stay usable for 3 s and are then closed.
 * 3. What runs finishes, within the drain time-out; what is left then is cut.
 */
export async function drain(options: DrainOptions): Promise<void> {
  const { servers, readiness, drainMs, log, idleGraceMs = IDLE_GRACE_MS } = options;
  readiness.startDraining();
  log.info({ drainMs }, 'draining: no new connections, running requests finish');

  const closeIdle = setTimeout(
    () => {
      for (const server of servers) server.closeIdle();
    },
    Math.min(idleGraceMs, drainMs),
  );
  const cut = setTimeout(() => {
    const running = servers.reduce((sum, server) => sum + server.runningCount, 0);
    log.warn({ running }, 'drain time-out: closing the connections that are left');
    for (const server of servers) server.closeAll();
  }, drainMs);

  await Promise.all(servers.map((server) => server.stopAccepting()));
  clearTimeout(closeIdle);
  clearTimeout(cut);
}
