import { parseArgs } from 'node:util';
import { type BrumeProcess, startBrume } from '../test/support/brume-process.ts';
import { startSentinels } from '../test/support/sentinels.ts';
import { type Answer, openLoad } from './failover/open-load.ts';

/**
 * A Brume on a Redis with two replicas and three Sentinels on loopback, under a steady load, whose master is
 * killed, or stopped as if it hung: when the loss is seen, when a replica is the master, when checks are counted
 * again, and how many went uncounted in between.
 */
const { values } = parseArgs({
  options: {
    rate: { type: 'string', default: '500' },
    runs: { type: 'string', default: '3' },
    'down-after': { type: 'string', default: '1000' },
    'timeout-ms': { type: 'string', default: '50' },
    fault: { type: 'string' },
  },
});
const rate = Number(values.rate);
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

const columns = [
  'fault',
  'seen',
  'promoted',
  'recovered',
  'after promotion',
  'degraded',
  'later',
  'failed',
  'longest',
  'median',
  'written late',
];
console.log(
  `${rate} checks a second, down-after ${values['down-after']} ms, BRUME_REDIS_TIMEOUT_MS=${values['timeout-ms']}`,
);
console.log(
  'seen, promoted, recovered: ms after the fault; later: degraded after that; longest, median: ms of an answer while degraded',
);
console.log(columns.join('\t'));
for (const fault of ['kill', 'hang'] as const) {
  if (values.fault !== undefined && values.fault !== fault) continue;
  for (let run = 0; run < Number(values.runs); run++) console.log((await measured(fault)).join('\t'));
}

async function measured(fault: 'kill' | 'hang'): Promise<(string | number)[]> {
  const rig = await startSentinels({ downAfterMs: Number(values['down-after']) });
  let brume: BrumeProcess | undefined;
  try {
    brume = await startBrume({
      BRUME_REDIS_URL: rig.url,
      BRUME_REDIS_TIMEOUT_MS: values['timeout-ms'],
      BRUME_ADDRESS_RATE: 'off',
      BRUME_ACCESS_LOG: 'off',
    });
    await brume.json('project', 'create', 'drill');
    await brume.json('namespace', 'create', 'drill', 'api', '--limit', '1000000', '--window', '1h');
    const { key } = (await brume.json('key', 'create', 'drill', 'load')) as { key: string };
    const load = openLoad({ url: brume.url, key, rate });
    await pause(3000);
    const former = await rig.master();
    const keysBefore = await former.client.dbsize();
    const lookedMs = performance.now();
    if (fault === 'kill') await former.kill();
    else former.hang();
    const faultMs = performance.now();
    await rig.promotedInPlaceOf(former);
    const promotedMs = performance.now();
    await pause(3000);
    if (fault === 'hang') former.resume();
    const keysAfter = fault === 'hang' ? await former.client.dbsize() : undefined;
    const answers = await load.stop();
    // Each check has a key of its own: those that may have been counted after the look and before the fault.
    const between = answers.filter(({ startMs, endMs }) => endMs >= lookedMs && startMs <= faultMs).length;
    const written = keysAfter === undefined ? '-' : Math.max(0, keysAfter - keysBefore - between);
    return [...row(fault, answers, { faultMs, promotedMs }), written];
  } finally {
    await brume?.stop();
    await rig.stop();
  }
}

function row(
  fault: string,
  answers: readonly Answer[],
  { faultMs, promotedMs }: Record<'faultMs' | 'promotedMs', number>,
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
    ms(promotedMs - faultMs),
    ms(recoveredMs - faultMs),
    ms(recoveredMs - promotedMs),
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
