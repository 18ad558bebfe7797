import type { Sample, SentCheck } from './load.ts';

/** What the drill's own callers saw. Milliseconds after the fault began; null: it did not come to that. */
export interface Timeline {
  /** The first check that the counters didn't judge, that had no verdict, or that waited too long for it. */
  readonly detectedMs: number | null;
  /** The first check of a second in which all were judged by the counters again; null also if none was not. */
  readonly recoveredMs: number | null;
  /** The same after the fault was over; 0 also if it came before. */
  readonly recoveredAfterEndMs: number | null;
  /** All was well again for a second when the fault was just about to be ended: another server had taken over. */
  readonly isRecoveredBeforeEnd: boolean;
  /** All of the load, those before the fault as well. */
  readonly checks: number;
  /** From here on of those that were answered after the fault began. */
  readonly degraded: number;
  /** Without a verdict. */
  readonly lost: number;
  readonly lostBy: Readonly<Record<string, number>>;
  /** Admitted by the counters beyond the limits, since they had forgotten what was used. */
  readonly aboveLimit: number;
  /** Let pass by the failure policy beyond the limits. */
  readonly uncounted: number;
  /** Judged by the counters, and later than `lateMs`. */
  readonly late: number;
  readonly lateMs: number;
  /** What had come before the fault began, by itself. */
  readonly before: {
    readonly checks: number;
    readonly degraded: number;
    readonly lost: number;
    readonly late: number;
  };
  /** Of all, as what follows. */
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
  /** When it was begun to end it; the same as `endedMs` where nobody ends it. */
  readonly endingMs: number;
  readonly endedMs: number;
  readonly limit: number;
  /** Whoever waits longer for a verdict feels the fault, from then on. */
  readonly lateMs: number;
}

export function timelineOf(
  samples: readonly Sample[],
  { beganMs, endingMs, endedMs, limit, lateMs }: Moments,
): Timeline {
  const inOrder = samples.toSorted((one, other) => one.dueMs - other.dueMs);
  const [before, after] = [
    inOrder.filter(({ endMs }) => endMs < beganMs),
    inOrder.filter(({ endMs }) => endMs >= beganMs),
  ];
  // By this process's own delay nobody feels anything.
  const isLate = ({ sentMs, endMs }: Sample) => endMs - sentMs > lateMs;
  const isFelt = (each: Sample) => isBad(each) || isLate(each);
  const feltMs = ({ sentMs, endMs }: Sample) => Math.min(endMs, sentMs + lateMs);
  const felt = after.filter(isFelt);
  const recovered = felt.length === 0 ? undefined : recovery(after, isFelt);
  const lost = after.filter(({ fault }) => fault !== null);
  const countOf = (some: readonly Sample[]) => ({
    degraded: some.filter(({ isDegraded }) => isDegraded).length,
    lost: some.filter(({ fault }) => fault !== null).length,
    late: some.filter((each) => isLate(each) && !isBad(each)).length,
  });
  const took = inOrder.map(({ dueMs, endMs }) => endMs - dueMs).sort((one, other) => one - other);
  const { aboveLimit, uncounted } = beyond(inOrder, limit);
  return {
    detectedMs: felt.length === 0 ? null : sinceMs(Math.min(...felt.map(feltMs)), beganMs),
    recoveredMs: recovered === undefined ? null : sinceMs(recovered.dueMs, beganMs),
    recoveredAfterEndMs: recovered === undefined ? null : sinceMs(recovered.dueMs, endedMs),
    isRecoveredBeforeEnd: recovered !== undefined && recovered.endMs + WELL_MS <= endingMs,
    checks: inOrder.length,
    ...countOf(after),
    lateMs,
    before: { checks: before.length, ...countOf(before) },
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
function recovery(after: readonly Sample[], isFelt: (sample: Sample) => boolean): Sample | undefined {
  const lastMs = (after.at(-1)?.dueMs ?? 0) - WELL_MS;
  const lastBad = after.findLastIndex((sample) => isFelt(sample) && sample.dueMs < lastMs);
  if (lastBad < 0) return undefined;
  const rest = after.slice(lastBad + 1);
  const badAgain = rest.findIndex(isFelt);
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
