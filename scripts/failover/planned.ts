import type { RigProcess } from '../../test/support/rig-process.ts';
import { waitForPromotion } from '../../test/support/sentinel-words.ts';
import { type DrillOptions, drill, pause } from './drill.ts';

export const PLANNED_COLUMNS = ['promoted', 'named', 'counted', 'lost', 'degraded', 'failed', 'longest'];

export const PLANNED_LEGEND =
  'promoted, named: ms after SENTINEL FAILOVER until a replica is a master, and until most Sentinels name it; counted: verdicts by Redis; lost: of these, what the new master has never heard of; longest: ms of an answer after the failover began';

export interface PlannedOptions extends DrillOptions {
  /** The master is told to hold back writes for so long before (`CLIENT PAUSE … WRITE`); 0: it is not. */
  readonly pauseMs: number;
}

/** The Sentinels are told to make another server the master while the present one lives: one row. */
export function plannedFailover({ pauseMs, ...options }: PlannedOptions): Promise<(string | number)[]> {
  return drill(options, async (rig, load) => {
    const former = await rig.master();
    const replicas = rig.servers.filter((server) => server !== former);
    const beganMs = performance.now();
    if (pauseMs > 0) await former.client.call('CLIENT', 'PAUSE', pauseMs, 'WRITE');
    const promoted = waitForPromotion(replicas).then(() => performance.now());
    const master = await rig.promote();
    const namedMs = performance.now();
    await pause(2500);
    // Each check has a key of its own; the former master is made a replica only some 8 s after its demotion.
    const counted = await keysOf(former);
    if (!(await former.client.info('replication')).includes('role:master'))
      throw new Error('the former master is a replica too early to look into it');
    const kept = await keysOf(master);
    const lost = [...counted].filter((key) => !kept.has(key)).length;
    const answers = await load.stop();
    const after = answers.filter(({ endMs }) => endMs >= beganMs);
    return [
      Math.round((await promoted) - beganMs),
      Math.round(namedMs - beganMs),
      answers.filter(({ isDegraded, isFailed }) => !isDegraded && !isFailed).length,
      lost,
      answers.filter(({ isDegraded }) => isDegraded).length,
      answers.filter(({ isFailed }) => isFailed).length,
      Math.round(Math.max(...after.map(({ startMs, endMs }) => endMs - startMs))),
    ];
  });
}

const keysOf = async ({ client }: RigProcess) => new Set(await client.keys('*'));
