import { type DrillOptions, drill, pause } from './drill.ts';
import type { Answer } from './open-load.ts';

export const LOST_MASTER_COLUMNS = [
  'fault',
  'seen',
  'named',
  'recovered',
  'after that',
  'degraded',
  'later',
  'failed',
  'longest',
  'median',
  'written late',
];

export const LOST_MASTER_LEGEND =
  'seen, named by most Sentinels, recovered: ms after the fault; after that: recovered after it was named, which may be before; later: degraded after the recovery; longest, median: ms of an answer while degraded';

/** The master is killed, or stopped as if it hung: one row. */
export function lostMaster(fault: 'kill' | 'hang', options: DrillOptions): Promise<(string | number)[]> {
  return drill(options, async (rig, load) => {
    const former = await rig.master();
    const keysBefore = await former.client.dbsize();
    const lookedMs = performance.now();
    if (fault === 'kill') await former.kill();
    else former.hang();
    const faultMs = performance.now();
    await rig.promotedInPlaceOf(former);
    const namedMs = performance.now();
    await pause(3000);
    if (fault === 'hang') former.resume();
    const keysAfter = fault === 'hang' ? await former.client.dbsize() : undefined;
    const answers = await load.stop();
    // Each check has a key of its own: those that may have been counted after the look and before the fault.
    const between = answers.filter(({ startMs, endMs }) => endMs >= lookedMs && startMs <= faultMs).length;
    const written = keysAfter === undefined ? '-' : Math.max(0, keysAfter - keysBefore - between);
    return [...row(fault, answers, { faultMs, namedMs }), written];
  });
}

function row(
  fault: string,
  answers: readonly Answer[],
  { faultMs, namedMs }: Record<'faultMs' | 'namedMs', number>,
) {
  const after = answers.filter(({ startMs }) => startMs >= faultMs);
  const degraded = after.filter(({ isDegraded }) => isDegraded);
  const firstMs = Math.min(...degraded.map(({ endMs }) => endMs));
  const recoveredMs = recoveryOf(after, firstMs);
  const took = degraded
    .filter(({ startMs }) => startMs < recoveredMs)
    .map(({ startMs, endMs }) => endMs - startMs)
    .sort((a, b) => a - b);
  const ms = (value: number) => Math.round(value);
  return [
    fault,
    ms(firstMs - faultMs),
    ms(namedMs - faultMs),
    ms(recoveredMs - faultMs),
    ms(recoveredMs - namedMs),
    degraded.filter(({ startMs }) => startMs < recoveredMs).length,
    degraded.filter(({ startMs }) => startMs >= recoveredMs).length,
    answers.filter(({ isFailed }) => isFailed).length,
    ms(took.at(-1) ?? 0),
    (took[Math.floor(took.length / 2)] ?? 0).toFixed(1),
  ];
}

/** When the first of a hundred checks in a row was sent that were all counted: one alone may be luck. */
function recoveryOf(answers: readonly Answer[], firstMs: number): number {
  let inRow: Answer[] = [];
  for (const answer of answers) {
    if (answer.startMs < firstMs) continue;
    inRow = answer.isDegraded || answer.isFailed ? [] : [...inRow, answer];
    if (inRow.length === 100) return (inRow[0] as Answer).startMs;
  }
  return Number.NaN;
}
