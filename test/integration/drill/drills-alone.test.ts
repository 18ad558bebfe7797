import { deepEqual, equal, match } from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { type BrumeProcess, spawnBrume } from '../../support/brume-process.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { waitFor } from '../../support/wait-for.ts';
import { AT_ONCE, drill, drilledBrume, ownRedis, projectsOf } from './drilled.ts';

/** A drill that is under way until it is ended. */
async function underWay(t: TestContext, brume: BrumeProcess) {
  const begun = join(temporaryDirectory(t), 'begun');
  const commands = ['--begin', `touch ${begun}`, '--end', 'true', '--lasts', '10m'];
  const child = spawnBrume(brume.settings, 'drill', 'node-loss', '--yes', ...commands);
  const isOver = once(child, 'exit');
  await waitFor('the drill to begin', () => existsSync(begun));
  return {
    async end(signal: NodeJS.Signals): Promise<void> {
      child.kill(signal);
      await isOver;
    },
  };
}

/** A Brume, and a drill of it after which all is well at once. */
async function withRedis(t: TestContext) {
  const redis = await ownRedis(t);
  const settings = { BRUME_REDIS_URL: redis.url, BRUME_OBJECTIVE_ABOVE_LIMIT: '1000' };
  const begin = `redis-cli -p ${new URL(redis.url).port} flushall`;
  return {
    brume: await drilledBrume(t, settings),
    flush: ['redis-loss', '--lasts', '1ms', '--begin', begin, '--end', 'true'],
  };
}

describe('a drill beside another', AT_ONCE, () => {
  it('is refused while another runs, which goes on', async (t) => {
    const brume = await drilledBrume(t, {});
    const other = await underWay(t, brume);
    const { exitCode, stderr } = await drill(brume, 'restart', '--live', '--begin', 'true');
    equal(exitCode, 1);
    match(stderr, /Another drill runs/);
    deepEqual(await projectsOf(brume), ['brume-drill']);
    await other.end('SIGINT');
    deepEqual(await projectsOf(brume), []);
  });

  it('is refused, one of two, where both begin at once', async (t) => {
    const { brume, flush } = await withRedis(t);
    const begin = () => drill(brume, ...flush, '--live');
    const both = await Promise.all([begin(), begin()]);
    deepEqual(
      both.map(({ exitCode }) => exitCode).toSorted(),
      [0, 1],
      both.map(({ stderr }) => stderr).join(),
    );
    match(both.find(({ exitCode }) => exitCode === 1)?.stderr ?? '', /nother drill|has just begun/);
    deepEqual(await projectsOf(brume), []);
  });

  it('deletes what one left that was killed, and nothing that no drill made', async (t) => {
    const { brume, flush } = await withRedis(t);
    await brume.json('project', 'create', 'brume-drill-notes');
    await (await underWay(t, brume)).end('SIGKILL');
    deepEqual((await projectsOf(brume)).toSorted(), ['brume-drill', 'brume-drill-notes']);
    const { exitCode, stderr } = await drill(brume, ...flush);
    equal(exitCode, 0, stderr);
    deepEqual(await projectsOf(brume), ['brume-drill-notes']);

    await brume.json('project', 'create', 'brume-drill');
    const refused = await drill(brume, ...flush);
    equal(refused.exitCode, 1);
    match(refused.stderr, /isn't a drill's.*brume project delete brume-drill --yes/);
    deepEqual((await projectsOf(brume)).toSorted(), ['brume-drill', 'brume-drill-notes']);
  });
});
