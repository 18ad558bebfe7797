import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createTenant } from '../support/admin-socket.ts';
import { type BrumeProcess, startBrume } from '../support/brume-process.ts';
import { call } from '../support/http-call.ts';
import { limitCall, type SeenVerdict } from '../support/limit-call.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { type RedisServer, startRedis } from '../support/redis-server.ts';

const BURST = 100;
/** How often a node looks which others live (src/stores/sql/node-registry.ts). */
const SIGN_INTERVAL_MS = 3000;
const RULE = { limits: [{ name: 'default', algorithm: 'fixed_window', limit: 5, windowMs: 3_600_000 }] };

const pause = () => new Promise((resolve) => setTimeout(resolve, 50));

describe('the calls of a key on two nodes', () => {
  let redis: RedisServer;
  let database: TestDatabase;
  let nodes: BrumeProcess[] = [];
  let key = '';

  before(async () => {
    redis = await startRedis();
    database = await createTestDatabase();
    const settings = {
      BRUME_REDIS_URL: redis.url,
      BRUME_DATABASE_URL: database.url,
      BRUME_REDIS_TIMEOUT_MS: '5000',
      BRUME_ACTOR_RATE: '1',
      BRUME_ACTOR_BURST: String(BURST),
      BRUME_TRUSTED_PROXIES: '127.0.0.9/32',
      BRUME_ADDRESS_RATE: '1',
      BRUME_ADDRESS_BURST: '20',
    };
    nodes = await Promise.all([startBrume(settings), startBrume(settings)]);
    key = await createTenant(nodes[0]?.settings.BRUME_ADMIN_SOCKET ?? '', 'shop', { api: RULE });
    const [first, second] = nodes as [BrumeProcess, BrumeProcess];
    while ((await revisionOf(first)) !== (await revisionOf(second))) await pause();
    // Started together, each hears of the other with its own next sign.
    await new Promise((resolve) => setTimeout(resolve, SIGN_INTERVAL_MS + 500));
  });

  after(async () => {
    await Promise.all(nodes.map((node) => node.stop()));
    await database?.drop();
    await redis?.stop();
  });

  /** Which configuration a node goes by. */
  async function revisionOf({ url }: BrumeProcess): Promise<number> {
    const { body } = await call(`${url}/ready`);
    return (JSON.parse(body) as { snapshot: { revision: number } }).snapshot.revision;
  }

  function ask(count: number): Promise<SeenVerdict[]> {
    return Promise.all(
      Array.from({ length: count }, (_, n) =>
        limitCall(nodes[n % 2] as BrumeProcess, key, { namespace: 'api', identifier: 'ann' }),
      ),
    );
  }

  it('are as many as it may make on both together, allowed or denied, and the others are 429', async () => {
    const startMs = performance.now();
    const answers: SeenVerdict[] = [];
    for (let round = 0; round < 12; round++) answers.push(...(await ask(25)));
    const passedS = (performance.now() - startMs) / 1000;
    const judged = answers.filter(({ status }) => status === 200);
    const throttled = answers.filter(({ status }) => status === 429);
    equal(judged.length + throttled.length, answers.length);
    ok(judged.length >= BURST - 2 && judged.length <= BURST + passedS + 2, `${judged.length}`);
    equal(judged.filter(({ success }) => success).length, 5);
    deepEqual(new Set(throttled.map(({ code }) => code)), new Set(['throttled_actor']));
  });

  it('are counted by each node for itself while Redis is away', { timeout: 60_000 }, async () => {
    await redis.stop();
    // Once a call or two have come back, the counters are asked for them.
    while (!/calls are counted by this node's share/.test(nodes[0]?.log() ?? '')) {
      for (const { status } of await ask(4)) ok(status === 200 || status === 429, `${status}`);
      await pause();
    }
  });

  it('of another key are shared by the nodes that live, while Redis is away', {
    timeout: 60_000,
  }, async () => {
    const socket = nodes[0]?.settings.BRUME_ADMIN_SOCKET ?? '';
    const another = await createTenant(socket, 'mill', { api: RULE });
    const [first, second] = nodes as [BrumeProcess, BrumeProcess];
    while ((await revisionOf(first)) !== (await revisionOf(second))) await pause();
    const startMs = performance.now();
    const judged = [0, 0];
    for (let round = 0; round < 8; round++) {
      for (const [index, node] of [first, second].entries()) {
        const calls = Array.from({ length: 15 }, () =>
          limitCall(node, another, { namespace: 'api', identifier: 'ann' }),
        );
        judged[index] =
          (judged[index] ?? 0) + (await Promise.all(calls)).filter(({ status }) => status === 200).length;
      }
    }
    const passedS = (performance.now() - startMs) / 1000;
    const shareMax = BURST / 2 + passedS + 2;
    ok(
      judged.every((count) => count >= BURST / 2 - 2 && count <= shareMax),
      `${judged}, at most ${shareMax}`,
    );
  });

  it('without a valid key end at the address filter, which a valid key does not meet', async () => {
    const [node] = nodes as [BrumeProcess];
    const statuses: number[] = [];
    for (let n = 0; n < 40; n++)
      statuses.push((await limitCall(node, `wrong-${n}`, { namespace: 'api', identifier: 'ann' })).status);
    deepEqual(new Set(statuses), new Set([401, 429]));
    equal(statuses[0], 401);
    const refused = await call(`${node.url}/v1/limit`, {
      method: 'POST',
      headers: { origin: 'https://a.example' },
    });
    equal(refused.status, 429);
    match(refused.headers['retry-after'] ?? '', /^[1-9]\d*$/);
    equal(refused.headers['access-control-allow-origin'], '*');
  });
});
