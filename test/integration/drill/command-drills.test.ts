import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { DrillReport } from '../../../src/operations/drill/run-drill.ts';
import { spawnBrume, startBrume } from '../../support/brume-process.ts';
import { startPostgres } from '../../support/postgres-server.ts';
import { startRedis } from '../../support/redis-server.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { waitFor } from '../../support/wait-for.ts';
import { AT_ONCE, drill, drilledBrume, projectsOf } from './drilled.ts';

describe('a drill by commands', AT_ONCE, () => {
  it('postgres-loss: checks go on while PostgreSQL is away, and a project that it keeps is named', async (t) => {
    const [postgres, redis] = [await startPostgres(), await startRedis()];
    t.after(() => Promise.all([postgres.stop(), redis.stop()]));
    const brume = await drilledBrume(t, { BRUME_REDIS_URL: redis.url, BRUME_DATABASE_URL: postgres.url });
    const directory = temporaryDirectory(t);
    // The test stops it when the drill says so, since it has to start it again.
    const [asked, done] = [join(directory, 'asked'), join(directory, 'done')];
    const begin = `touch ${asked}; while [ ! -e ${done} ]; do sleep 0.05; done`;
    const drilled = drill(brume, 'postgres-loss', '--lasts', '1s', '--begin', begin, '--end', 'true');
    await waitFor('the drill begins', () => existsSync(asked));
    await postgres.halt();
    writeFileSync(done, '');
    const { exitCode, report, stderr } = await drilled;
    const { timeline, notUndone, isMet } = report as DrillReport;
    deepEqual([timeline.detectedMs, timeline.lost, timeline.aboveLimit, isMet], [null, 0, 0, true]);
    equal(exitCode, 1);
    match(notUndone.join(), /brume project delete brume-drill --yes/);
    match(stderr, /Not undone: .*brume project delete brume-drill --yes/);
    equal((await brume.run('project', 'list')).exitCode, 1, 'it was stopped');

    await postgres.start();
    const isBack = async () => (await brume.run('project', 'delete', 'brume-drill', '--yes')).exitCode === 0;
    await waitFor('the command that was named works', isBack);
    deepEqual(await projectsOf(brume), []);
  });

  it('restart sees that another process serves, and refuses to have seen one where the same does', async (t) => {
    const directory = temporaryDirectory(t);
    const first = await startBrume({}, directory);
    const [asked, done] = [join(directory, 'asked'), join(directory, 'done')];
    const begin = `touch ${asked}; while [ ! -e ${done} ]; do sleep 0.05; done`;
    const drilled = drill(first, 'restart', '--begin', begin);
    await waitFor('the drill begins', () => existsSync(asked));
    await first.stop();
    const second = await startBrume(first.settings, directory);
    t.after(() => second.stop());
    writeFileSync(done, '');
    const { exitCode, report, stderr } = await drilled;
    // While nobody listens, what is asked is lost; counts are not.
    equal(exitCode, 1, stderr);
    const { timeline, outcomes } = report as DrillReport;
    ok(timeline.lost > 0 && timeline.recoveredAfterEndMs !== null, JSON.stringify(timeline));
    deepEqual(outcomes.find(({ objective }) => objective === 'aboveLimit')?.isMet, true);
    ok(second.pid !== first.pid);

    const idle = await drill(second, 'restart', '--begin', 'true');
    equal(idle.exitCode, 1);
    match(idle.stderr, new RegExp(`Nothing happened: nothing was restarted, process ${second.pid}`));
    equal(idle.report?.isMet, false);
    deepEqual(await projectsOf(second), []);
  });

  it('fails where the commands took nothing away, and says so in its report', async (t) => {
    const [postgres, redis] = [await startPostgres(), await startRedis()];
    t.after(() => Promise.all([postgres.stop(), redis.stop()]));
    const settings = { BRUME_REDIS_URL: redis.url, BRUME_DATABASE_URL: postgres.url };
    // Nothing is late on a busy machine.
    const brume = await drilledBrume(t, { ...settings, BRUME_REDIS_TIMEOUT_MS: '5000' });
    const directory = temporaryDirectory(t);
    const words = ['--lasts', '1s', '--begin', 'true', '--end', 'true', '--report', directory];
    const nothing: Record<string, RegExp> = {
      'redis-loss': /Nothing happened: this node said all the time that its counters are available/,
      'postgres-loss':
        /Nothing happened: this node said all the time that its configuration store is available/,
      'node-loss': /Nothing happened: no check was lost/,
    };
    for (const [name, told] of Object.entries(nothing)) {
      const { exitCode, report, stderr } = await drill(brume, name, ...words);
      equal(exitCode, 1, stderr);
      match(stderr, told);
      deepEqual([report?.isMet, report?.outcomes.every(({ isMet }) => isMet)], [false, true]);
      const page = readFileSync(
        join(
          directory,
          readdirSync(directory).find((file) => file.startsWith(name) && file.endsWith('.md')) ?? '',
        ),
        'utf8',
      );
      match(page, told);
      ok(!page.includes('The objectives are met'), page);
    }
  });

  it('keeps what it measured where --end fails, tries that again, and says what is not undone', async (t) => {
    const redis = await startRedis();
    t.after(() => redis.stop());
    const brume = await drilledBrume(t, { BRUME_REDIS_URL: redis.url });
    const directory = temporaryDirectory(t);
    const runs = join(directory, 'runs');
    const end = `kill -CONT ${redis.pid}; echo run >>${runs}; exit 4`;
    const commands = ['--lasts', '1s', '--begin', `kill -STOP ${redis.pid}`, '--end', end];
    const { exitCode, stderr, report } = await drill(brume, 'redis-loss', ...commands, '--report', directory);
    equal(exitCode, 1, stderr);
    const { timeline, endFailed, notUndone, isMet } = report as DrillReport;
    ok(timeline.detectedMs !== null && timeline.degraded > 0, JSON.stringify(timeline));
    const failed = `It ended with 4: ${end}`;
    deepEqual([endFailed, notUndone, isMet], [failed, [`${failed} (to undo it by hand: ${end})`], false]);
    equal(readFileSync(runs, 'utf8'), 'run\nrun\n');
    const files = readdirSync(directory).filter((name) => name.startsWith('redis-loss-'));
    deepEqual(files.map((name) => name.slice(name.lastIndexOf('.'))).toSorted(), ['.json', '.md', '.svg']);
  });

  it('says for what it waits where the node does not come back', async (t) => {
    const brume = await drilledBrume(t, {});
    const commands = ['--lasts', '1ms', '--begin', `kill -KILL ${brume.pid}`, '--end', 'true'];
    const child = spawnBrume(brume.settings, 'drill', 'node-loss', '--yes', ...commands);
    const isOver = once(child, 'exit');
    let said = '';
    child.stderr?.on('data', (part) => {
      said += part;
    });
    await waitFor('it to say so', () => said.includes('Not all is counted again'), { timeoutMs: 60_000 });
    ok(said.includes(`(${brume.url}: ECONNREFUSED). Looking for 1`), said);
    child.kill('SIGINT');
    equal((await isOver)[0], 130);
    match(said, /Not undone: .*brume project delete brume-drill --yes/);
  });

  it('ends a command that runs as it is told to end, with what it started, and undoes it', async (t) => {
    const brume = await drilledBrume(t, {});
    const directory = temporaryDirectory(t);
    const [begun, undone] = [join(directory, 'begun'), join(directory, 'undone')];
    const begin = `sleep 1000 & echo $! >${begun}.new; mv ${begun}.new ${begun}; wait`;
    const commands = ['--begin', begin, '--end', `touch ${undone}`];
    const child = spawnBrume(brume.settings, 'drill', 'node-loss', '--yes', ...commands);
    const sleeper = await waitFor(
      'the command runs',
      () => existsSync(begun) && readFileSync(begun, 'utf8').trim(),
    );
    child.kill('SIGTERM');
    const [code] = await once(child, 'exit');
    equal(code, 143);
    ok(existsSync(undone));
    ok(!existsSync(`/proc/${sleeper}`));
    deepEqual(await projectsOf(brume), []);
  });

  it('ends an --end that hangs where it is told to end once more, says so, and undoes the rest', async (t) => {
    const brume = await drilledBrume(t, {});
    const runs = join(temporaryDirectory(t), 'runs');
    const end = `echo run >>${runs}; sleep 1000`;
    const commands = ['--lasts', '1ms', '--begin', 'true', '--end', end];
    const child = spawnBrume(brume.settings, 'drill', 'node-loss', '--yes', ...commands);
    let said = '';
    child.stderr?.on('data', (part) => {
      said += part;
    });
    const hasRun = (times: number) =>
      existsSync(runs) && readFileSync(runs, 'utf8') === 'run\n'.repeat(times);
    await waitFor('it to be undone', () => hasRun(1));
    child.kill('SIGTERM');
    await waitFor('it to be undone again', () => hasRun(2));
    await waitFor('it to end', () => !child.kill('SIGTERM') || child.exitCode !== null, { everyMs: 100 });
    equal(child.exitCode, 143);
    ok(said.includes(`Not undone: Interrupted. To undo it by hand: ${end}`), said);
    deepEqual(await projectsOf(brume), []);
  });

  it('writes its report, or refuses before it begins; and where that fails later, prints it', async (t) => {
    const brume = await drilledBrume(t, {});
    const directory = join(temporaryDirectory(t), 'reports');
    const words = ['drill', 'node-loss', '--yes', '--lasts', '1ms', '--end', 'true'];
    for (const place of ['/proc/reports', '/dev/null/reports']) {
      const { exitCode, stderr } = await brume.run(...words, '--begin', 'false', '--report', place);
      deepEqual(
        [exitCode, stderr.startsWith(`brume: No report can be written to ${place}: `)],
        [1, true],
        stderr,
      );
    }
    const begin = `rmdir ${directory}`;
    const { exitCode, stdout } = await brume.run(...words, '--begin', begin, '--report', directory);
    equal(exitCode, 1);
    match(stdout, /The report was not written, and stands here: /);
    const report: DrillReport = JSON.parse(stdout.slice(stdout.indexOf('\n{')));
    deepEqual([report.drill, report.endFailed], ['node-loss', null]);
  });
});
