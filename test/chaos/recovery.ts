import type { Caller } from './load/caller.ts';
import { COUNTED } from './load/namespaces.ts';
import { pause } from './rigs/rig.ts';

/** So many identifiers are spread over all shards of a cluster, but for one seed in a thousand. */
const PROBES = 16;

/**
 * How long it takes, from now on, until both nodes have a real answer for each of some identifiers;
 * null if that is not so in time. Milliseconds.
 */
export async function recovery(callers: readonly Caller[], timeoutMs: number): Promise<number | null> {
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
    if (open.length === 0) return elapsedMs;
    if (elapsedMs > timeoutMs) return null;
    await pause(20);
  }
}
