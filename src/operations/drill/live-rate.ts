import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient } from '../../client/api-client.ts';
import { readMetrics } from '../../client/metrics.ts';
import type { Target } from '../../client/target.ts';
import { readingsIn } from '../runbook/series.ts';

const WATCH_MS = 2000;
const TIMEOUT_MS = 5000;
const HOUR_MS = 3_600_000;

/** Checks a second that the node that answers gives verdicts of now, peeks left out. */
export async function liveRate(target: Target, signal: AbortSignal): Promise<number> {
  const before = await verdicts(target);
  const beganMs = performance.now();
  await delay(WATCH_MS, undefined, { signal });
  return perSecond((await verdicts(target)) - before, beganMs);
}

/**
 * The same of all nodes together, with the names of the projects that are used. Nodes tell one another nothing of
 * their traffic, but each adds what it counted to the usage, every `writtenEveryMs`.
 */
export async function liveRateOfAll(
  client: ApiClient,
  writtenEveryMs: number,
  signal: AbortSignal,
): Promise<{ readonly rate: number; readonly projects: readonly string[] }> {
  const since = new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS).toISOString();
  const before = await usageSince(client, since);
  const beganMs = performance.now();
  await delay(writtenEveryMs + WATCH_MS, undefined, { signal });
  const used = [...(await usageSince(client, since))]
    .map(([project, count]) => ({ project, count: count - (before.get(project) ?? 0) }))
    .filter(({ count }) => count > 0);
  const sum = used.reduce((all, { count }) => all + count, 0);
  return { rate: perSecond(sum, beganMs), projects: used.map(({ project }) => project) };
}

/** Verdicts by the project's name. */
async function usageSince(client: ApiClient, from: string): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const { id, name } of await client.listProjects()) {
    const items = await client.usage.list(id, { step: 'hour', from });
    counts.set(
      name,
      items.reduce((sum, { allowed, denied }) => sum + allowed + denied, 0),
    );
  }
  return counts;
}

async function verdicts(target: Target): Promise<number> {
  const series = readingsIn(await readMetrics(target, TIMEOUT_MS)).get('brume_verdicts_total') ?? [];
  return series.reduce((sum, { value }) => sum + value, 0);
}

function perSecond(count: number, beganMs: number): number {
  return (count * 1000) / (performance.now() - beganMs);
}
