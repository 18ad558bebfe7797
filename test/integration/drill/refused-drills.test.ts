import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, describe, it, type TestContext } from 'node:test';
import type { BrumeProcess } from '../../support/brume-process.ts';
import { freePort } from '../../support/free-port.ts';
import { limitCall } from '../../support/limit-call.ts';
import { listening } from '../../support/listening-server.ts';
import { createTestDatabase } from '../../support/postgres.ts';
import { type RedisServer, startRedis } from '../../support/redis-server.ts';
import { drill, drilledBrume, projectsOf } from './drilled.ts';

/** Somebody's callers, twenty a second until the test is over. */
async function traffic(t: TestContext, brume: BrumeProcess, at = brume): Promise<void> {
  await brume.json('project', 'create', 'shop');
  await brume.json('namespace', 'create', 'shop', 'api', '--limit', '100000', '--window', '1h');
  const { key } = (await brume.json('key', 'create', 'shop', 'web')) as { key: string };
  const ask = () => limitCall(at, key, { namespace: 'api', identifier: 'ann' }).catch(() => undefined);
  const asking = setInterval(() => void ask(), 50);
  t.after(() => clearInterval(asking));
}

/** What says that it is ready as a data plane does, and does with all else what `answer` says. */
async function dataPlane(t: TestContext, status: string, counters = 'available'): Promise<string> {
  const ready = JSON.stringify({ status, stores: { configuration: 'available', counters } });
  const server = createServer((request, response) => {
    if (request.url === '/ready') response.end(ready);
  });
  return `http://127.0.0.1:${await listening(t, server)}`;
}

describe('a drill that must not begin', () => {
  let redis: RedisServer;
  before(async () => {
    redis = await startRedis();
  });
  after(() => redis.stop());

  it('is refused where nobody can be asked, or only half of it was said', async (t) => {
    const brume = await drilledBrume(t, {});
    const refusal = async (...words: string[]) => {
      const { exitCode, stderr } = await brume.run('drill', ...words);
      equal(exitCode, 2, stderr);
      return stderr;
    };
    match(await refusal('redis-hang'), /--yes/);
    match(await refusal('node-loss', '--yes'), /--begin/);
    match(await refusal('redis-loss', '--yes', '--begin', 'true'), /Say with --end how it is undone/);
    match(await refusal('redis-loss', '--yes', '--end', 'true'), /--end undoes what --begin does/);
    match(await refusal('restart', '--yes', '--end', 'true'), /--end undoes what --begin does/);
    match(await refusal('redis-loss', '--yes', '--begin', '', '--end', 'true'), /--begin.*It is empty/);
    match(await refusal('redis-loss', '--yes', '--begin', 'true', '--end', ' '), /--end.*It is empty/);
  });

  it('is refused where it can not be done', async (t) => {
    const brume = await drilledBrume(t, { BRUME_REDIS_URL: redis.url });
    match((await drill(brume, 'redis-failover')).stderr, /redis-loss/);
    match((await drill(brume, 'redis-hang', '--lasts', '2m')).stderr, /60s at most/);
    const commands = ['--begin', 'true', '--end', 'true'];
    match((await drill(brume, 'postgres-loss', ...commands)).stderr, /in SQLite .* there is no PostgreSQL/);
    const embedded = await drilledBrume(t, {});
    match((await drill(embedded, 'redis-loss', ...commands)).stderr, /embedded .* there is no Redis/);
  });

  it('is told what is not well', async (t) => {
    const away = await drilledBrume(t, { BRUME_REDIS_URL: 'redis://127.0.0.1:1' });
    match(
      (await drill(away, 'redis-hang')).stderr,
      /not healthy.*: the counters are unavailable, .*brume runbook check degraded/,
    );

    const brume = await drilledBrume(t, { BRUME_REDIS_URL: redis.url });
    const hung = await drill(brume, 'redis-hang', '--lasts', '1s');
    ok((hung.report?.timeline.degraded ?? 0) > 0, hung.stderr);
    const again = await drill(brume, 'redis-hang', '--lasts', '1s');
    equal(again.exitCode, 1);
    const told =
      /namespaces were judged by their failure policy in the last ten seconds: .*drill of \S+ \(deleted\) by open \(.*That was the last drill: wait ten seconds/;
    match(again.stderr, told);
  });

  it('is told which node is not well, before anything is done', async (t) => {
    const brume = await drilledBrume(t, {});
    const own = brume.url;
    const refusal = async (node: string) => {
      const words = ['--node', own, '--node', node, '--live', '--begin', 'true', '--end', 'true'];
      const { exitCode, stderr } = await drill(brume, 'node-loss', ...words);
      equal(exitCode, 1, stderr);
      ok(stderr.includes(node) && !stderr.includes('Begun'), stderr);
      return stderr;
    };
    match(await refusal('http://127.0.0.1:1'), /Nobody listens/);
    match(await refusal(await dataPlane(t, 'degraded', 'unavailable')), /degraded, .*counters unavailable/);
    match(await refusal(await dataPlane(t, 'ready')), /let a check wait for \d+ ms before the fault began/);
    deepEqual(await projectsOf(brume), []);
  });

  it('is told which node of --node is none, or is named twice, before anything is done', async (t) => {
    const management = `127.0.0.1:${await freePort()}`;
    const brume = await drilledBrume(t, { BRUME_MANAGEMENT_LISTEN: management });
    const refusal = async (...nodes: string[]) => {
      const named = nodes.flatMap((node) => ['--node', node]);
      const { stderr } = await drill(
        brume,
        'node-loss',
        ...named,
        '--live',
        '--begin',
        'true',
        '--end',
        'true',
      );
      ok(!stderr.includes('A load of'), stderr);
      return stderr;
    };
    match(await refusal(`http://${management}`), /gives no verdicts \(404\): is it the management plane\?/);
    match(await refusal(brume.url, brume.url), /is named twice: name it once/);
    const byName = brume.url.replace('127.0.0.1', 'localhost');
    match(await refusal(brume.url, byName), /and http:\/\/localhost:\d+ are the same node: name it once/);
  });

  it('is refused on a system in use, on whichever node', async (t) => {
    const database = await createTestDatabase();
    t.after(() => database.drop());
    const settings = {
      BRUME_REDIS_URL: redis.url,
      BRUME_DATABASE_URL: database.url,
      BRUME_USAGE_WRITE_MS: '500',
    };
    const first = await drilledBrume(t, settings);
    const second = await drilledBrume(t, settings);
    await traffic(t, first, second);
    match((await drill(second, 'redis-hang')).stderr, /This node is in use .* --live/);
    const nodes = ['--node', first.url, '--node', second.url];
    match((await drill(first, 'redis-hang', ...nodes)).stderr, /Another node is in use, by shop .* --live/);
    deepEqual(await projectsOf(first), ['shop']);
  });
});
