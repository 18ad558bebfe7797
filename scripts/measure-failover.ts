import { parseArgs } from 'node:util';
import { startBrume } from '../test/support/brume-process.ts';
import { freePort } from '../test/support/free-port.ts';
import { type RigProcess, startSentinels } from '../test/support/sentinels.ts';
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
    seed: { type: 'string' },
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
  'failed',
  'longest',
  'median',
];
console.log(
  `${rate} checks a second, down-after ${values['down-after']} ms, BRUME_REDIS_TIMEOUT_MS=${values['timeout-ms']}`,
);
console.log(
  'seen, promoted, recovered: ms after the fault; longest and median: ms of an answer while degraded',
);
console.log(columns.join('\t'));
for (const fault of ['kill', 'hang'] as const) {
  for (let run = 0; run < Number(values.runs); run++) console.log((await measured(fault)).join('\t'));
}

async function measured(fault: 'kill' | 'hang'): Promise<(string | number)[]> {
  const rig = await startSentinels({ downAfterMs: Number(values['down-after']) });
  const brume = await startBrume({
    BRUME_REDIS_URL: rig.url,
    BRUME_REDIS_TIMEOUT_MS: values['timeout-ms'],
    BRUME_ADDRESS_RATE: 'off',
    BRUME_ACCESS_LOG: 'off',
    BRUME_LISTEN: `127.0.0.1:${await freePort()}`,
  });
  try {
    await brume.json('project', 'create', 'drill');
    await brume.json('namespace', 'create', 'drill', 'api', '--limit', '1000000', '--window', '1h');
    const { key } = (await brume.json('key', 'create', 'drill', 'load')) as {
      secret: string;
    };
    const load = openLoad({ url: brume.url, key, rate });
    await pause(3000);
    const former = await rig.master();
    const keysBefore = await former.client.dbsize();
    const faultMs = performance.now();
    if (fault === 'kill') await former.kill();
    else former.hang();
    await rig.promotedInPlaceOf(former);
    const promotedMs = performance.now();
    await pause(3000);
    const answers = await load.stop();
    const lateKeys = fault === 'hang' ? await lateWrites(former, keysBefore, answers, faultMs) : undefined;
    if (lateKeys !== undefined && lateKeys > 0) console.log(`${lateKeys} keys were written after the fault`);
    return row(fault, answers, { faultMs, promotedMs });
  } finally {
    await brume.stop();
    await rig.stop();
  }
}

/** Each check has a key of its own: what the old master has more than was counted before the fault, once it goes on. */
async function lateWrites(
  former: RigProcess,
  keysBefore: number,
  answers: readonly Answer[],
  faultMs: number,
): Promise<number> {
  former.resume();
  const keys = await former.client.dbsize();
  const between = answers.filter(
    ({ isDegraded, endMs }) => !isDegraded && endMs <= faultMs + 5 && endMs > faultMs - 1000,
  );
  return Math.max(0, keys - keysBefore - between.length);
}

function row(
  fault: string,
  answers: readonly Answer[],
  { faultMs, promotedMs }: Record<'faultMs' | 'promotedMs', number>,
) {
  const after = answers.filter(({ startMs }) => startMs >= faultMs);
  const degraded = after.filter(({ isDegraded }) => isDegraded);
  const firstMs = Math.min(...degraded.map(({ endMs }) => endMs));
  const lastMs = Math.max(...degraded.map(({ startMs }) => startMs));
  const recovered = after.find(({ isDegraded, startMs }) => !isDegraded && startMs > lastMs);
  const took = degraded.map(({ startMs, endMs }) => endMs - startMs).sort((a, b) => a - b);
  const recoveredMs = recovered?.startMs ?? Number.NaN;
  const ms = (value: number) => Math.round(value);
  return [
    fault,
    ms(firstMs - faultMs),
    ms(promotedMs - faultMs),
    ms(recoveredMs - faultMs),
    ms(recoveredMs - promotedMs),
    degraded.length,
    answers.filter(({ isFailed }) => isFailed).length,
    ms(took.at(-1) ?? 0),
    (took[Math.floor(took.length / 2)] ?? 0).toFixed(1),
  ];
}
