import { setTimeout as delay } from 'node:timers/promises';

/** Polls until `find` gives something else than undefined or false; rejects after `timeoutMs`, so that nothing is left running. */
export async function waitFor<Found>(
  what: string,
  find: () => Found | undefined | false | Promise<Found | undefined | false>,
  { timeoutMs = 30_000, everyMs = 10 } = {},
): Promise<Found> {
  for (const endMs = performance.now() + timeoutMs; ; ) {
    const found = await find();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > endMs) throw new Error(`not in ${timeoutMs} ms: ${what}`);
    await delay(everyMs);
  }
}
