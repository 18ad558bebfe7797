import { setTimeout as delay } from 'node:timers/promises';
import { readMetrics } from '../../client/metrics.ts';
import type { Target } from '../../client/target.ts';
import { readingsIn } from '../runbook/series.ts';

const WATCH_MS = 2000;
const TIMEOUT_MS = 5000;

/** Checks a second that a node answers now, peeks left out. */
export async function liveRate(target: Target): Promise<number> {
  const before = await verdicts(target);
  const beganMs = performance.now();
  await delay(WATCH_MS);
  return (((await verdicts(target)) - before) * 1000) / (performance.now() - beganMs);
}

async function verdicts(target: Target): Promise<number> {
  const series = readingsIn(await readMetrics(target, TIMEOUT_MS)).get('brume_verdicts_total') ?? [];
  return series.reduce((sum, { value }) => sum + value, 0);
}
