import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { PlaneServer } from '../plane-server.ts';

const LOOK_EVERY_MS = 2;

/** Resolves with how many requests still run, when none does or the time is over. */
export async function untilNoneRuns(
  servers: readonly Pick<PlaneServer, 'unanswered'>[],
  {
    withinMs,
    isWaiting,
  }: { readonly withinMs: number; readonly isWaiting: (request: IncomingMessage) => boolean },
): Promise<number> {
  const runs = (response: ServerResponse): boolean => !isWaiting(response.req) && isRunning(response);
  for (const endMs = performance.now() + withinMs; ; await delay(LOOK_EVERY_MS)) {
    const running = servers.flatMap((server) => [...server.unanswered()].filter(runs)).length;
    if (running === 0 || performance.now() >= endMs) return running;
  }
}

/** Neither answered in full, which may take long to be read, nor waiting for a body, which comes by the gate. */
function isRunning({ writableEnded, req }: ServerResponse): boolean {
  const isAwaitingBody = !req.complete && req.readableFlowing === true;
  return !writableEnded && !isAwaitingBody;
}
