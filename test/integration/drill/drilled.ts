import type { TestContext } from 'node:test';
import type { DrillReport } from '../../../src/operations/drill/run-drill.ts';
import { type BrumeProcess, startBrume } from '../../support/brume-process.ts';
import { type RedisServer, startRedis } from '../../support/redis-server.ts';

/** A busy machine is slower than any objective; what is asserted here is what happens, and how it is told. */
const LENIENT = {
  BRUME_REDIS_TIMEOUT_MS: '200',
  BRUME_OBJECTIVE_RECOVERED_MS: '60000',
  BRUME_OBJECTIVE_SLOWEST_MS: '60000',
};

/** A drill waits most of its time, and each of these tests has a Brume of its own. */
export const AT_ONCE = { concurrency: 3 };

export async function ownRedis(t: TestContext): Promise<RedisServer> {
  const redis = await startRedis();
  t.after(() => redis.stop());
  return redis;
}

export async function drilledBrume(t: TestContext, settings: Record<string, string>): Promise<BrumeProcess> {
  const brume = await startBrume({ ...LENIENT, ...settings });
  t.after(() => brume.stop());
  return brume;
}

/** Does a drill that asks nobody. */
export async function drill(brume: BrumeProcess, ...words: string[]) {
  const { exitCode, stdout, stderr } = await brume.run('drill', ...words, '--yes', '--json');
  return {
    exitCode,
    stderr,
    report: exitCode < 2 && stdout !== '' ? (JSON.parse(stdout) as DrillReport) : undefined,
  };
}

/** By their names. */
export async function projectsOf(brume: BrumeProcess): Promise<string[]> {
  const { items } = (await brume.json('project', 'list')) as { items: { name: string }[] };
  return items.map(({ name }) => name);
}
