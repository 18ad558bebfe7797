/** What a witness of a drill notes, and what can be said by it: in the words of the drill, but not by its code. */

export interface WitnessPlan {
  /** `http://10.77.0.1:8600`; asked in turn. */
  readonly nodes: readonly string[];
  readonly key: string;
  readonly namespace: string;
  /** Begins every identifier, so that nobody has counted for it before. */
  readonly run: string;
  /** Checks a second. */
  readonly rate: number;
}

/** One check. Times by the wall clock. */
export interface Noted {
  readonly dueMs: number;
  /** Later than that where the witness was held up. */
  readonly sentMs: number;
  readonly endMs: number;
  readonly node: string;
  readonly identifier: string;
  /** `counted`, `degraded`, or why there was no verdict. */
  readonly came: string;
  readonly isAdmitted: boolean;
}

export interface Testimony {
  /** After the fault began; null: nothing was noticed. */
  readonly detectedMs: number | null;
  /** When the first check was due after the last that was not counted, after the fault began. */
  readonly recoveredMs: number | null;
  /**
   * Of the checks that were answered after the fault began, so that loads of different rates compare: as if so many
   * seconds of them were.
   */
  readonly degradedSeconds: number;
  readonly lostSeconds: number;
  /** Why, each once. */
  readonly lostBy: readonly string[];
  /** What the counters admitted beyond the limits, by the same measure. */
  readonly aboveLimitSeconds: number;
  /** So late at most a check was sent. */
  readonly heldUpMs: number;
}

const LAST_MS = 1000;

export interface Watch {
  /** When the fault began, by the wall clock. */
  readonly beganMs: number;
  /** What was due earlier or later is left out, as in the report of who looked for so long. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly rate: number;
  readonly limit: number;
}

/** What those checks say of a fault. */
export function testimony(all: readonly Noted[], { beganMs, fromMs, toMs, rate, limit }: Watch): Testimony {
  const noted = all.filter(({ dueMs }) => dueMs >= fromMs && dueMs < toMs);
  const isCounted = ({ came }: Noted) => came === 'counted';
  const missed = noted.filter((each) => each.endMs >= beganMs && !isCounted(each));
  // What is missed in the last second may go on for longer than anybody looks.
  const before = missed.map(({ dueMs }) => dueMs).filter((dueMs) => dueMs < toMs - LAST_MS);
  const lastMissedMs = Math.max(...before);
  const next = Math.min(...noted.map(({ dueMs }) => dueMs).filter((dueMs) => dueMs > lastMissedMs));
  const lost = missed.filter(({ came }) => came !== 'degraded');
  const admitted = new Map<string, number>();
  for (const { identifier } of noted.filter((each) => each.isAdmitted && isCounted(each)))
    admitted.set(identifier, (admitted.get(identifier) ?? 0) + 1);
  return {
    detectedMs: missed.length === 0 ? null : Math.min(...missed.map(({ endMs }) => endMs)) - beganMs,
    recoveredMs: before.length === 0 ? null : Math.max(0, next - beganMs),
    degradedSeconds: missed.filter(({ came }) => came === 'degraded').length / rate,
    lostSeconds: lost.length / rate,
    lostBy: [...new Set(lost.map(({ came }) => came))],
    aboveLimitSeconds: sum([...admitted.values()].map((count) => Math.max(0, count - limit))) / rate,
    heldUpMs: Math.max(0, ...noted.map(({ dueMs, sentMs }) => sentMs - dueMs)),
  };
}

function sum(counts: readonly number[]): number {
  return counts.reduce((all, count) => all + count, 0);
}
