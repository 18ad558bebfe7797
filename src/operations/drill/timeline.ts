import type { Sample, SentCheck } from './load.ts';

/** What the drill's own callers saw. Milliseconds after the fault began; null: it did not come to that. */
export interface Timeline {
  /** The first check that the counters didn't judge, or that had no verdict. */
  readonly detectedMs: number | null;
  /** The first check of a second in which all were judged by the counters again; null also if none was not. */
  readonly recoveredMs: number | null;
  /** The same after the fault was over. */
  readonly recoveredAfterEndMs: number | null;
  readonly checks: number;
  readonly degraded: number;
  /** Without a verdict. */
  readonly lost: number;
  readonly lostBy: Readonly<Record<string, number>>;
  /** Admitted by the counters beyond the limits, since they had forgotten what was used. */
  readonly aboveLimit: number;
  /** Let pass by the failure policy beyond the limits. */
  readonly uncounted: number;
  readonly slowestMs: number;
  readonly p99Ms: number;
  /** So late at most a check was sent, since this machine held the drill up: times may be wrong by as much. */
  readonly heldUpMs: number;
}

/** So long all has to be well, before it is taken for well. */
const WELL_MS = 1000;
/** That of a second is looked at when those due in it had so long for their answers. */
const ANSWERED_WITHIN_MS = 500;
/** Whoever waits for so long has an answer that comes late, or none. */
const OVERDUE_MS = 1000;

export interface Moments {
  /** By `performance.now()`. */
  readonly beganMs: number;
  readonly endedMs: number;
  readonly limit: number;
}

export function timelineOf(samples: readonly Sample[], { beganMs, endedMs, limit }: Moments): Timeline {
  const inOrder = samples.toSorted((one, other) => one.dueMs - other.dueMs);
  const after = inOrder.filter(({ endMs }) => endMs >= beganMs);
  const bad = after.filter(isBad);
  const recovered = bad.length === 0 ? undefined : recovery(after);
  const lost = inOrder.filter(({ fault }) => fault !== null);
  const took = inOrder.map(({ dueMs, endMs }) => endMs - dueMs).sort((one, other) => one - other);
  const { aboveLimit, uncounted } = beyond(inOrder, limit);
  return {
    detectedMs: bad.length === 0 ? null : sinceMs(Math.min(...bad.map(({ endMs }) => endMs)), beganMs),
    recoveredMs: recovered === undefined ? null : sinceMs(recovered.dueMs, beganMs),
    recoveredAfterEndMs: recovered === undefined ? null : sinceMs(recovered.dueMs, endedMs),
    checks: inOrder.length,
    degraded: inOrder.filter(({ isDegraded }) => isDegraded).length,
    lost: lost.length,
    lostBy: countsBy(lost.map(({ fault }) => fault ?? '')),
    aboveLimit,
    uncounted,
    slowestMs: Math.round(took.at(-1) ?? 0),
    heldUpMs: Math.round(inOrder.reduce((most, { dueMs, sentMs }) => Math.max(most, sentMs - dueMs), 0)),
    p99Ms: Math.round(took[Math.floor(took.length * 0.99)] ?? 0),
  };
}

/** The counters have judged again for long enough, and no check has waited for longer than one may. */
export function isWellAgain(
  { samples, unanswered }: { readonly samples: readonly Sample[]; readonly unanswered: readonly SentCheck[] },
  beganMs: number,
  nowMs: number,
): boolean {
  const lately = samples.filter(
    ({ dueMs }) => dueMs >= Math.max(beganMs, nowMs - WELL_MS - ANSWERED_WITHIN_MS),
  );
  const first = Math.min(...lately.map(({ dueMs }) => dueMs));
  const isOverdue = unanswered.some(({ dueMs }) => nowMs - dueMs >= OVERDUE_MS);
  return lately.length > 0 && !lately.some(isBad) && !isOverdue && nowMs - first >= WELL_MS;
}

function isBad({ fault, isDegraded }: Sample): boolean {
  return fault !== null || isDegraded;
}

/** What went wrong in the last second is left out: nothing tells what would have come after it. */
function recovery(after: readonly Sample[]): Sample | undefined {
  const lastMs = (after.at(-1)?.dueMs ?? 0) - WELL_MS;
  const lastBad = after.findLastIndex((sample) => isBad(sample) && sample.dueMs < lastMs);
  if (lastBad < 0) return undefined;
  const rest = after.slice(lastBad + 1);
  const badAgain = rest.findIndex(isBad);
  const well = badAgain < 0 ? rest : rest.slice(0, badAgain);
  const [first, last] = [well[0], well.at(-1)];
  return first !== undefined && last !== undefined && last.dueMs - first.dueMs >= WELL_MS ? first : undefined;
}

function beyond(samples: readonly Sample[], limit: number): { aboveLimit: number; uncounted: number } {
  let [aboveLimit, uncounted] = [0, 0];
  for (const each of Map.groupBy(samples, ({ identifier }) => identifier).values()) {
    const allowed = each.filter(({ isAllowed }) => isAllowed);
    const counted = allowed.filter(({ isDegraded }) => !isDegraded).length;
    const above = Math.max(0, counted - limit);
    aboveLimit += above;
    uncounted += Math.max(0, allowed.length - limit - above);
  }
  return { aboveLimit, uncounted };
}

function countsBy(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

function sinceMs(atMs: number, beganMs: number): number {
  return Math.max(0, Math.round(atMs - beganMs));
}
