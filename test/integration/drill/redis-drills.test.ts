import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { DrillReport } from '../../../src/operations/drill/run-drill.ts';
import { spawnBrume } from '../../support/brume-process.ts';
import { startSentinels } from '../../support/sentinels.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { waitFor } from '../../support/wait-for.ts';
import { AT_ONCE, drill, drilledBrume, ownRedis, projectsOf } from './drilled.ts';

describe('a drill of Redis', AT_ONCE, () => {
  it('redis-failover has a replica take over, loses no request and writes a report', async (t) => {
    const rig = await startSentinels({ replicas: 2 });
    t.after(() => rig.stop());
    const former = await rig.master();
    const brume = await drilledBrume(t, { BRUME_REDIS_URL: rig.url, BRUME_OBJECTIVE_ABOVE_LIMIT: '1000' });
    const directory = temporaryDirectory(t);
    const { exitCode, report, stderr } = await drill(brume, 'redis-failover', '--report', directory);
    equal(exitCode, 0, `${stderr} ${JSON.stringify(report?.timeline)}`);
    ok((await rig.master()).port !== former.port);
    equal(report?.timeline.lost, 0);
    ok((report?.timeline.checks ?? 0) > 100);
    match(report?.fault ?? '', /^SENTINEL FAILOVER mymaster at 127/);
    equal(report?.faultMs, null);
    deepEqual(await projectsOf(brume), []);

    const files = readdirSync(directory).map((name) => name.replace(/^redis-failover-.*\./, ''));
    deepEqual(files.sort(), ['json', 'md', 'svg']);
    const page = readFileSync(
      join(directory, readdirSync(directory).find((name) => name.endsWith('.md')) ?? ''),
      'utf8',
    );
    match(page, /^# Drill redis-failover\n\nThe objectives are met\./);
  });

  it('redis-failover looks whether there is a replica before it begins', async (t) => {
    const rig = await startSentinels({ replicas: 0 });
    t.after(() => rig.stop());
    const brume = await drilledBrume(t, { BRUME_REDIS_URL: rig.url });
    const { exitCode, stderr } = await drill(brume, 'redis-failover');
    equal(exitCode, 1, stderr);
    match(stderr, /No replica can take over: the Sentinels know of no replica\. .*redis-failover/);
    ok(!stderr.includes('A load of'), stderr);

    const never = await startSentinels({ replicas: 1, args: ['--replica-priority', '0'] });
    t.after(() => never.stop());
    const passed = await drill(await drilledBrume(t, { BRUME_REDIS_URL: never.url }), 'redis-failover');
    match(passed.stderr, /No replica can take over: \S+ has replica-priority 0/);
  });

  it('redis-failover that is refused moves nothing, says why, and lets go of the writes it held back', async (t) => {
    const rig = await startSentinels({ replicas: 1 });
    t.after(() => rig.stop());
    const brume = await drilledBrume(t, { BRUME_REDIS_URL: rig.url });
    const master = await rig.master();
    const words = ['redis-failover', '--pause-writes', '10m', '--yes'];
    const child = spawnBrume(brume.settings, 'drill', ...words);
    const isOver = once(child, 'exit');
    let said = '';
    child.stderr?.on('data', (part) => {
      said += part;
    });
    // Its look before has found the replica, and four seconds later there is none.
    await waitFor('the load begins', () => said.includes('A load of'));
    await rig.servers.find((server) => server !== master)?.kill();
    equal((await isOver)[0], 1, said);
    match(said, /No replica was made the master: NOGOODSLAVE .*brume runbook show redis-failover/);
    equal(await master.client.set('not-held-back', '1'), 'OK');
    deepEqual(await projectsOf(brume), []);
  });

  it('redis-hang sees degraded verdicts, and that they end', async (t) => {
    const brume = await drilledBrume(t, { BRUME_REDIS_URL: (await ownRedis(t)).url });
    const { exitCode, report, stderr } = await drill(
      brume,
      'redis-hang',
      '--lasts',
      '3s',
      '--policy',
      'local',
    );
    equal(exitCode, 0, `${stderr} ${JSON.stringify(report?.timeline)}`);
    const { timeline } = report as DrillReport;
    ok(timeline.detectedMs !== null && timeline.recoveredAfterEndMs !== null);
    ok(timeline.degraded > 20);
    deepEqual([timeline.lost, timeline.aboveLimit], [0, 0]);
    // The slices say the same as the sums.
    const sum = (of: 'counted' | 'degraded' | 'lost') =>
      (report?.slices ?? []).reduce((all, slice) => all + slice[of], 0);
    deepEqual(
      [sum('degraded'), sum('lost'), sum('counted') + sum('degraded')],
      [timeline.before.degraded + timeline.degraded, 0, timeline.checks],
    );
  });

  it('redis-flush shows what is admitted twice, which is no more than a limit of each caller of the moment', async (t) => {
    const brume = await drilledBrume(t, { BRUME_REDIS_URL: (await ownRedis(t)).url });
    const { exitCode, report, stderr } = await drill(brume, 'redis-flush');
    const { timeline, outcomes, limit } = report as DrillReport;
    ok(timeline.aboveLimit > limit, JSON.stringify(timeline));
    const outcome = outcomes.find(({ objective }) => objective === 'aboveLimit');
    deepEqual([outcome?.wanted, outcome?.isMet], [4 * limit, true]);
    equal(exitCode, 0, `${stderr} ${JSON.stringify(timeline)}`);
  });

  it('redis-flush holds what is admitted twice against an objective that is set', async (t) => {
    const brume = await drilledBrume(t, {
      BRUME_REDIS_URL: (await ownRedis(t)).url,
      BRUME_OBJECTIVE_ABOVE_LIMIT: '0',
    });
    const { exitCode, report } = await drill(brume, 'redis-flush');
    equal(exitCode, 1);
    const outcome = report?.outcomes.find(({ objective }) => objective === 'aboveLimit');
    deepEqual(outcome && [outcome.wanted, outcome.isMet], [0, false]);
    equal(report?.isMet, false);
  });

  it('redis-loss runs the commands that are given, and tells of what was lost', async (t) => {
    const own = await ownRedis(t);
    const brume = await drilledBrume(t, { BRUME_REDIS_URL: own.url });
    const commands = ['--begin', `kill -STOP ${own.pid}`, '--end', `kill -CONT ${own.pid}`];
    const { exitCode, report, stderr } = await drill(brume, 'redis-loss', '--lasts', '2s', ...commands);
    equal(exitCode, 0, `${stderr} ${JSON.stringify(report?.timeline)}`);
    ok((report?.timeline.degraded ?? 0) > 0);
    match(report?.fault ?? '', /^kill -STOP/);
  });

  it('undoes by --end what a --begin that failed had done by then', async (t) => {
    const own = await ownRedis(t);
    const brume = await drilledBrume(t, { BRUME_REDIS_URL: own.url });
    const begin = `kill -STOP ${own.pid}; exit 3`;
    const commands = ['--begin', begin, '--end', `kill -CONT ${own.pid}`];
    const { exitCode, stderr } = await drill(brume, 'redis-loss', '--lasts', '2s', ...commands);
    equal(exitCode, 1);
    match(stderr, /It ended with 3: kill -STOP/);
    ok(!stderr.includes('Not undone'), stderr);
    await waitFor('all is well', async () => (await brume.run('status')).exitCode === 0);
    deepEqual(await projectsOf(brume), []);
  });

  it('goes on looking where what was well again does not stay so', async (t) => {
    const own = await ownRedis(t);
    const brume = await drilledBrume(t, { BRUME_REDIS_URL: own.url });
    // It hangs once more as the drill is about to end.
    const again = `sleep 2.6; kill -STOP ${own.pid}; sleep 0.8; kill -CONT ${own.pid}`;
    const end = `kill -CONT ${own.pid}; (${again}) >/dev/null 2>&1 &`;
    const commands = ['--begin', `kill -STOP ${own.pid}`, '--end', end];
    const { exitCode, report, stderr } = await drill(brume, 'redis-loss', '--lasts', '1s', ...commands);
    equal(exitCode, 0, `${stderr} ${JSON.stringify(report?.timeline)}`);
    ok((report?.timeline.recoveredAfterEndMs ?? 0) > 2000, JSON.stringify(report?.timeline));
  });

  it('undoes all of it when it is interrupted', async (t) => {
    const brume = await drilledBrume(t, { BRUME_REDIS_URL: (await ownRedis(t)).url });
    const child = spawnBrume(brume.settings, 'drill', 'redis-hang', '--lasts', '8s', '--yes');
    let said = '';
    child.stderr?.on('data', (part) => {
      said += part;
    });
    await waitFor('the fault begins', () => {
      if (child.exitCode !== null) throw new Error(said);
      return said.includes('Begun');
    });
    child.kill('SIGINT');
    const [code] = await once(child, 'exit');
    equal(code, 130);
    match(said, /What was done is undone\.\nbrume: Interrupted\./);
    // The pause was waited for: Redis answers.
    await waitFor('all is well', async () => (await brume.run('status')).exitCode === 0);
    deepEqual(await projectsOf(brume), []);
  });
});
