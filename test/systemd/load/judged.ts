import assert from 'node:assert/strict';
import type { LoadReport } from './load.ts';

/** How many met what, by stream, for who reads a failure. */
export function summary({ faults, ...report }: LoadReport): string {
  const counts = new Map<string, { count: number; fromMs: number; toMs: number }>();
  for (const { stream, atMs, what } of faults) {
    const kind = `${stream}: ${what.slice(0, 200)}`;
    const seen = counts.get(kind) ?? { count: 0, fromMs: atMs, toMs: atMs };
    counts.set(kind, { ...seen, count: seen.count + 1, toMs: atMs });
  }
  const lines = [...counts].slice(0, 20).map(([kind, seen]) => `${kind} ${JSON.stringify(seen)}`);
  return [JSON.stringify(report), ...lines].join('\n');
}

/** Nobody was refused, cut off, answered with a fault or unjudged; each limit admitted exactly what it is. */
export function assertLossless(report: LoadReport): void {
  const { sent, answered, faults, miscounts } = report;
  assert.ok(sent > 0 && faults.length === 0 && miscounts.length === 0, summary(report));
  assert.equal(answered, sent, summary(report));
}

/** The slowest request of any stream, in ms. */
export function slowestMs(report: LoadReport): number {
  return Math.max(...Object.values(report.slowestMs));
}

/** By the time that one client notices a break, the others may not have. */
const NOTICED_WITHIN_MS = 500;

/** What was sent once a break had been noticed was answered well, and nobody was refused. */
export function assertOnlyUnderWay(report: LoadReport): void {
  const breakMs = Math.min(...report.faults.map(({ atMs }) => atMs));
  const others = report.faults.filter(
    ({ what, sentMs }) => what === 'ECONNREFUSED' || sentMs > breakMs + NOTICED_WITHIN_MS,
  );
  assert.deepEqual(others, [], summary(report));
}

const QUICK_MS = 1000;
const TRIES = 3;

/**
 * Nothing is lost, ever, and nobody waits for a second. That is tried again where somebody did: on a machine
 * that others use, too, a second may be theirs.
 */
export async function assertLosslessAndQuick(action: () => Promise<LoadReport>): Promise<void> {
  for (let tried = 1; ; tried++) {
    const report = await action();
    assertLossless(report);
    if (slowestMs(report) < QUICK_MS) return;
    if (tried === TRIES) assert.fail(`${TRIES} times somebody waited for a second: ${summary(report)}`);
  }
}
