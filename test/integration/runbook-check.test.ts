import { deepEqual, equal, match } from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { createTenant } from '../support/admin-socket.ts';
import { type BrumeProcess, type Settings, startBrume } from '../support/brume-process.ts';
import { limitCall } from '../support/limit-call.ts';
import { metricsOf } from '../support/metrics-of.ts';
import { startRedis } from '../support/redis-server.ts';
import { waitFor } from '../support/wait-for.ts';

interface Checked {
  readonly alert: string | null;
  readonly missing: readonly string[];
  readonly branch: { readonly title: string } | null;
}

async function brumeWith(t: TestContext, settings: Settings = {}): Promise<BrumeProcess> {
  const brume = await startBrume(settings);
  t.after(() => brume.stop());
  return brume;
}

/** What the checks of these runbooks say, and with which exit code; side by side, since each watches for seconds. */
async function checked(brume: BrumeProcess, ...names: string[]) {
  const all = names.map(async (name) => {
    const { exitCode, stdout } = await brume.run('runbook', 'check', name, '--json');
    const { alert, missing, branch } = JSON.parse(stdout) as Checked;
    return [name, exitCode, alert, branch?.title ?? missing] as const;
  });
  return Promise.all(all);
}

describe('brume runbook check', () => {
  it('says on a node on which nothing has happened yet that there is no reason for the alert', async (t) => {
    const names = ['degraded', 'errors', 'flood', 'embedded-counters-full', 'counters-lost', 'clock-stepped'];
    deepEqual(
      await checked(await brumeWith(t), ...names),
      names.map((name) => [name, 0, 'over', 'It is over']),
    );
  });

  it('says which figure is missing on a node that has none, and does not guess', async (t) => {
    const brume = await brumeWith(t);
    deepEqual(await checked(brume, 'sentinels-away', 'snapshot-file-old', 'changes-not-heard'), [
      ['sentinels-away', 1, 'unknown', ['brume_redis_sentinels_reachable']],
      ['snapshot-file-old', 1, 'unknown', ['brume_snapshot_file_age_seconds']],
      ['changes-not-heard', 1, 'unknown', ['brume_change_listener_connected']],
    ]);
    const { stdout, exitCode } = await brume.run('runbook', 'check', 'BrumeRedisAway');
    equal(exitCode, 1);
    match(stdout, /This node does not have brume_redis_connected/);
  });

  it('says of a node that takes connections and answers none that it hangs, and of nobody else to end', async (t) => {
    const brume = await brumeWith(t);
    process.kill(brume.pid, 'SIGSTOP');
    try {
      deepEqual(await checked(brume, 'node-down'), [['node-down', 0, null, 'It hangs']]);
    } finally {
      process.kill(brume.pid, 'SIGCONT');
    }
  });

  it('says where one is while Redis is away, and when another one has come', async (t) => {
    let redis = await startRedis();
    t.after(() => redis.stop());
    const brume = await brumeWith(t, { BRUME_REDIS_URL: redis.url, BRUME_QUOTA_CHECKPOINT_MS: '200' });
    const socket = String(brume.settings.BRUME_ADMIN_SOCKET);
    const says = (line: string) => async () => (await metricsOf(socket)).split('\n').includes(line);
    const quota = { name: 'all', limit: 1000, period: 'never' };
    const key = await createTenant(socket, 'shop', { api: { limits: [], quotas: [quota] } });
    // By what there is to give back the loss is noticed, however soon after the start it comes.
    await waitFor('a count', async () => {
      const { degraded } = await limitCall(brume, key, { namespace: 'api', identifier: 'ann' });
      return degraded === false;
    });
    const isNoneWritten = says('brume_quota_checkpoints_written_total 0');
    await waitFor('a checkpoint', async () => !(await isNoneWritten()));
    await redis.stop();
    await waitFor('no Redis', says('brume_redis_connected 0'));
    deepEqual(await checked(brume, 'redis-away', 'counters-lost'), [
      ['redis-away', 0, 'holds', 'Nobody listens there'],
      ['counters-lost', 0, 'over', 'Redis is away'],
    ]);
    redis = await startRedis({ port: Number(new URL(redis.url).port) });
    await waitFor('the loss', says('brume_counters_lost_total 1'));
    deepEqual(await checked(brume, 'redis-away', 'counters-lost'), [
      ['redis-away', 0, 'over', 'It is over'],
      ['counters-lost', 0, 'holds', 'Another server, or a restart'],
    ]);
  });
});
