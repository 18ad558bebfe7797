import type { Caller } from './load/caller.ts';
import { COUNTED } from './load/namespaces.ts';
import type { Starvation } from './load/starvation.ts';
import { pause } from './rigs/rig.ts';

/** So many identifiers are spread over all shards of a cluster, but for one seed in a thousand. */
const PROBES = 16;
/** A machine that has no core for so long proves nothing. */
const STARVED_MAX_MS = 60_000;

/** Milliseconds. */
export interface Recovery {
  /** From the begin until all is answered by the store; null: not in time. */
  readonly elapsedMs: number | null;
  /** For so long of that the machine had no core for what had to run. */
  readonly starvedMs: number;
}

/**
 * How long it takes, from now on, until both nodes have a real answer for each of some identifiers. Rejects if
 * the machine leaves no time for that.
 */
export async function recovery(
  callers: readonly Caller[],
  starvation: Starvation,
  timeoutMs: number,
): Promise<Recovery> {
  const namespace = COUNTED[0]?.name ?? '';
  const startMs = Date.now();
  let open = callers.flatMap((caller) =>
    Array.from({ length: PROBES }, (_, index) => ({ caller, identifier: `probe-${index}` })),
  );
  for (;;) {
    const answers = await Promise.all(
      open.map(async ({ caller, identifier }) => {
        const answer = await caller
          .ask({ path: '/v1/peek', body: { namespace, identifier } })
          .catch(() => undefined);
        return answer?.status === 200 && (answer.body as { degraded: boolean }).degraded === false;
      }),
    );
    // Some checks may miss their deadline on a busy machine: each probe has to be answered once.
    open = open.filter((_, index) => answers[index] === false);
    const elapsedMs = Date.now() - startMs;
    const starvedMs = Math.min(elapsedMs, starvation.waitedMs());
    if (open.length === 0) return { elapsedMs, starvedMs };
    if (elapsedMs - starvedMs > timeoutMs) return { elapsedMs: null, starvedMs };
    if (elapsedMs > STARVED_MAX_MS) throw new Error(`no core for ${starvedMs} of ${elapsedMs} ms`);
    await pause(20);
  }
}
