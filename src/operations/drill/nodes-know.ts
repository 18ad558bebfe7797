import { setTimeout as delay } from 'node:timers/promises';

export interface Asked {
  /** Data planes: `http://127.0.0.1:8600`. */
  readonly nodes: readonly string[];
  readonly key: string;
  readonly namespace: string;
}

/** A change that is not heard of is seen by polling, within seconds; a key that was unknown is so for five. */
const PATIENCE_MS = 15_000;
const LOOK_EVERY_MS = 100;
const TIMEOUT_MS = 2000;

/**
 * Resolves when each node has heard of a key and its namespace, which were made at another one perhaps; also when
 * one gives another answer or none, or none of these in time: the load will tell.
 */
export async function nodesKnow({ nodes, key, namespace }: Asked, signal: AbortSignal): Promise<void> {
  const untilMs = performance.now() + PATIENCE_MS;
  await Promise.all(
    nodes.map(async (node) => {
      while (performance.now() < untilMs && (await hasNotHeard(node, { key, namespace })))
        await delay(LOOK_EVERY_MS, undefined, { signal });
    }),
  );
}

async function hasNotHeard(
  node: string,
  { key, namespace }: { key: string; namespace: string },
): Promise<boolean> {
  try {
    const { status } = await fetch(`${node}/v1/peek`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': key, connection: 'close' },
      body: JSON.stringify({ namespace, identifier: 'nobody' }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return status === 401 || status === 404;
  } catch {
    return false;
  }
}
