import assert from 'node:assert/strict';
import type { GivenTwice, LoadReport } from './load.ts';
import type { Struck } from './struck.ts';

/** How many met what, by stream, for who reads a failure. */
function summary({ faults, ...report }: LoadReport): string {
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
  const { sent, answered, faults } = report;
  assert.ok(sent > 0 && faults.length === 0, summary(report));
  assertCountsExactly(report);
  assert.equal(answered, sent, summary(report));
}

/** No count was lost, and no limit exceeded. */
function assertCountsExactly({ givenTwice, miscounts, ...report }: LoadReport): void {
  assert.deepEqual([...givenTwice, ...miscounts], [], summary({ givenTwice, miscounts, ...report }));
}

/** The slowest request of any stream, in ms. */
export function slowestMs(report: LoadReport): number {
  return Math.max(...Object.values(report.slowestMs));
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

/** By the time that one client notices a break, the others may not have. */
const NOTICED_WITHIN_MS = 500;

/** What was sent once a break had been noticed was answered well, and nobody was refused. */
function assertOnlyUnderWay(report: LoadReport): void {
  const breakMs = Math.min(...report.faults.map(({ atMs }) => atMs));
  const others = report.faults.filter(
    ({ what, sentMs }) => what === 'ECONNREFUSED' || sentMs > breakMs + NOTICED_WITHIN_MS,
  );
  assert.deepEqual(others, [], summary(report));
}

/** Where counts are: of embedded ones a crash may cost what was counted so long before it. */
export type Counting = 'in Redis' | 'embedded';
const UNWRITTEN_MS = 1000;

/** Counts of which more is lost than a crash may cost. */
function lostBesides({ report, wholeMs }: Struck, counting: Counting): readonly GivenTwice[] {
  const fromMs = counting === 'embedded' ? wholeMs - UNWRITTEN_MS : Number.POSITIVE_INFINITY;
  return report.givenTwice.filter(({ firstMs }) => firstMs < fromMs);
}

/**
 * Of a process that was killed only what was under way fails, nobody is refused, and somebody is answered within a
 * second, or where a start takes as long, within twice its time. No count in Redis is lost, and of embedded ones
 * those of the last second at most. Both are tried again: on a machine that others use, too, a second may be theirs.
 */
export async function assertBackAtOnce(kill: () => Promise<Struck>, counting: Counting): Promise<void> {
  for (let tried = 1; ; tried++) {
    const met = await kill();
    const { report, startMs } = met;
    assertOnlyUnderWay(report);
    assert.deepEqual(report.miscounts, [], summary(report));
    const lost = lostBesides(met, counting);
    if (counting === 'in Redis') assert.deepEqual(lost, [], summary(report));
    if (lost.length === 0 && report.silenceMs < Math.max(QUICK_MS, 2 * startMs)) return;
    const what =
      `nobody answered for ${report.silenceMs} ms, ${Math.round(startMs)} of them for the start, ` +
      `and ${lost.length} counts were lost besides`;
    if (tried === TRIES) assert.fail(`${TRIES} times: ${what}: ${summary(report)}`);
  }
}

/** A process that was frozen was replaced: nobody was refused, and what was sent afterwards was answered. */
export function assertReplaced(met: Struck, counting: Counting): void {
  const { faults, toldMs, miscounts } = met.report;
  const others = faults.filter(({ what, sentMs }) => what === 'ECONNREFUSED' || sentMs > toldMs);
  assert.deepEqual([...others, ...miscounts, ...lostBesides(met, counting)], [], summary(met.report));
}
