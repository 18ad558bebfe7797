import { setTimeout as delay } from 'node:timers/promises';
import type { BrumeProcess } from './brume-process.ts';
import { call } from './http-call.ts';

const TIMEOUT_MS = 30_000;

/** Waits until Brume counts: it serves before its first connection to Redis is made, degraded so far. */
export async function countersAvailable({ url, log }: Pick<BrumeProcess, 'url' | 'log'>): Promise<void> {
  const endMs = performance.now() + TIMEOUT_MS;
  for (;;) {
    const { stores } = JSON.parse((await call(`${url}/ready`)).body);
    if (stores?.counters === 'available') return;
    if (performance.now() > endMs) throw new Error(`the counters are not available:\n${log()}`);
    await delay(20);
  }
}
