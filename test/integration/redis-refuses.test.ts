import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createTenant } from '../support/admin-socket.ts';
import { type BrumeProcess, startBrume } from '../support/brume-process.ts';
import { countersAvailable } from '../support/counters-available.ts';
import { call } from '../support/http-call.ts';
import { limitCall } from '../support/limit-call.ts';
import { metricsOf } from '../support/metrics-of.ts';
import { type RedisServer, startRedis } from '../support/redis-server.ts';

const RULE = {
  onStoreFailure: 'open',
  limits: [{ algorithm: 'fixed_window', limit: 1e6, windowMs: 600_000 }],
};
/** So that it can be told how many checks waited for it, on a busy machine too. */
const TIMEOUT_MS = 300;
const CALLERS = 4;

describe('a Redis that answers, and does not take what is written', () => {
  let redis: RedisServer;
  let brume: BrumeProcess;
  let key: string;

  before(async () => {
    redis = await startRedis();
    const settings = { BRUME_REDIS_URL: redis.url, BRUME_REDIS_TIMEOUT_MS: String(TIMEOUT_MS) };
    brume = await startBrume(settings);
    key = await createTenant(String(brume.settings.BRUME_ADMIN_SOCKET), 'shop', { login: RULE });
  });
  after(async () => {
    await brume?.stop();
    await redis?.stop();
  });
  beforeEach(() => countersAvailable(brume));

  async function ready() {
    const { status, body } = await call(`${brume.url}/ready`);
    return { httpStatus: status, ...(JSON.parse(body) as { status: string; stores: object }) };
  }

  /** The node is ready all the same, and says what the matter is; so does the status. */
  async function shows(counters: string, countersFault: string): Promise<void> {
    const stores = JSON.stringify({ configuration: 'available', counters, countersFault });
    for (;;) {
      const { httpStatus, status, stores: told } = await ready();
      assert.equal(httpStatus, 200);
      if (JSON.stringify(told) === stores) {
        assert.equal(status, 'degraded');
        break;
      }
      await delay(20);
    }
    const { exitCode, stdout } = await brume.run('status');
    assert.equal(exitCode, 1);
    assert.match(
      stdout,
      new RegExp(`^counters +redis \\(single\\): ${counters} \\(${countersFault}\\)$`, 'm'),
    );
  }

  for (const [setting, value, counters, fault] of [
    ['maxmemory', '1', 'full', 'oom'],
    ['min-replicas-to-write', '1', 'read_only', 'noreplicas'],
  ] as const) {
    it(`${setting} ${value}: /ready and the status say ${counters}, and no more when it counts again`, async () => {
      await redis.client.config('SET', setting, value);
      await shows(counters, fault);
      await redis.client.config('SET', setting, '0');
      await countersAvailable(brume);
      assert.equal((await ready()).status, 'ready');
    });
  }

  it('held writes: /ready finds out by itself, few checks wait, and the log has a line each way', async () => {
    const logged = brume.log().length;
    const lines = (text: string) => brume.log().slice(logged).split(text).length - 1;
    await redis.client.client('PAUSE', 600_000, 'WRITE');
    await shows('unavailable', 'no_answer');
    while (lines('connecting anew') === 0) await ready();

    const received = async () =>
      Number(/total_connections_received:(\d+)/.exec(await redis.client.info('stats'))?.[1]);
    const before = await received();
    let checks = 0;
    const timeouts = await timeoutsSoFar();
    const caller = async () => {
      // Connections of the counters and of the claim, none of which may be taken for good.
      while ((await received()) < before + 6) {
        const { success, degraded } = await limitCall(brume, key, {
          namespace: 'login',
          identifier: 'alice',
        });
        assert.deepEqual([success, degraded], [true, true]);
        checks++;
      }
    };
    await Promise.all(Array.from({ length: CALLERS }, caller));
    assert.ok(checks > 10 * CALLERS, `${checks} checks`);
    assert.equal(await timeoutsSoFar(), timeouts, 'none of them waited');

    await redis.client.client('UNPAUSE');
    await countersAvailable(brume);
    assert.equal((await ready()).status, 'ready');
    assert.deepEqual([lines('connecting anew'), lines('"Redis connected"')], [1, 1]);
  });

  async function timeoutsSoFar(): Promise<number> {
    return Number(
      /^brume_redis_timeouts_total (\d+)$/m.exec(
        await metricsOf(String(brume.settings.BRUME_ADMIN_SOCKET)),
      )?.[1],
    );
  }
});
