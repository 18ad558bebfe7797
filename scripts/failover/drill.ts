import { type BrumeProcess, startBrume } from '../../test/support/brume-process.ts';
import { type SentinelRig, startSentinels } from '../../test/support/sentinels.ts';
import { type Load, openLoad } from './open-load.ts';

export interface DrillOptions {
  /** Checks a second. */
  readonly rate: number;
  /** `down-after-milliseconds` of the Sentinels. */
  readonly downAfterMs: number;
  readonly redisTimeoutMs: number;
  readonly replicas: number;
  /** Of each redis-server. */
  readonly serverArgs?: readonly string[];
}

const SETTLING_MS = 3000;

/** Runs `faults` on a Brume under a steady load, on a Redis that Sentinels watch, all on loopback; ends them all. */
export async function drill<Result>(
  { rate, downAfterMs, redisTimeoutMs, replicas, serverArgs = [] }: DrillOptions,
  faults: (rig: SentinelRig, load: Load) => Promise<Result>,
): Promise<Result> {
  const rig = await startSentinels({ downAfterMs, replicas, args: serverArgs });
  let brume: BrumeProcess | undefined;
  let load: Load | undefined;
  try {
    brume = await startBrume({
      BRUME_REDIS_URL: rig.url,
      BRUME_REDIS_TIMEOUT_MS: String(redisTimeoutMs),
      BRUME_ADDRESS_RATE: 'off',
      BRUME_ACCESS_LOG: 'off',
    });
    await brume.json('project', 'create', 'drill');
    await brume.json('namespace', 'create', 'drill', 'api', '--limit', '1000000', '--window', '1h');
    const { key } = (await brume.json('key', 'create', 'drill', 'load')) as { key: string };
    load = openLoad({ url: brume.url, key, rate });
    await pause(SETTLING_MS);
    return await faults(rig, load);
  } finally {
    await load?.stop();
    await brume?.stop();
    await rig.stop();
  }
}

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
