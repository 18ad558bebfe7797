import { deepEqual } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { createTenant } from '../support/admin-socket.ts';
import { type BrumeProcess, startBrume } from '../support/brume-process.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { type RedisServer, startRedis } from '../support/redis-server.ts';

const ROUNDS = 10;
const CHECKS = 200;
const LIMIT = 20;
/** The longest window: so long that a round meets its edge for an instant once a year. */
const YEAR_MS = 366 * 24 * 3_600_000;

const RULES = {
  'fixed-window': { algorithm: 'fixed_window', limit: LIMIT, windowMs: YEAR_MS },
  'sliding-log': { algorithm: 'sliding_log', limit: LIMIT, windowMs: 60_000 },
  gcra: { algorithm: 'gcra', limit: LIMIT, windowMs: YEAR_MS },
};

describe('two nodes on one Redis and one PostgreSQL', () => {
  let redis: RedisServer;
  let database: TestDatabase;
  let nodes: BrumeProcess[] = [];
  let key: string;

  before(async () => {
    redis = await startRedis();
    database = await createTestDatabase();
    const settings = {
      BRUME_REDIS_URL: redis.url,
      BRUME_DATABASE_URL: database.url,
      // Two cores serve all of this: a slow answer must not be taken for a dead Redis.
      BRUME_REDIS_TIMEOUT_MS: '10000',
    };
    nodes = await Promise.all([startBrume(settings), startBrume(settings)]);
    const [first] = nodes;
    const namespaces = Object.entries(RULES).map(([name, limit]) => [name, { limits: [limit] }]);
    key = await createTenant(
      first?.settings.BRUME_ADMIN_SOCKET ?? '',
      'shop',
      Object.fromEntries(namespaces),
    );
    // The second node learns of it within the second that is promised.
    await Promise.all(nodes.map((node) => untilKnown(node)));
  });

  after(async () => {
    await Promise.all(nodes.map((node) => node.stop()));
    await redis?.stop();
    await database?.drop();
  });

  async function limit(node: BrumeProcess, namespace: string, identifier: string) {
    const answer = await fetch(`${node.url}/v1/limit`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ namespace, identifier }),
    });
    const { success, degraded }: { success?: boolean; degraded?: boolean } = JSON.parse(await answer.text());
    return { status: answer.status, success, degraded };
  }

  async function untilKnown(node: BrumeProcess): Promise<void> {
    for (const endMs = Date.now() + 30_000; Date.now() < endMs; ) {
      const statuses = await Promise.all(
        Object.keys(RULES).map(async (namespace) => (await limit(node, namespace, 'warm-up')).status),
      );
      if (statuses.every((status) => status === 200)) return;
    }
    throw new Error(`the configuration did not reach ${node.url}`);
  }

  for (const [namespace, { algorithm }] of Object.entries(RULES)) {
    const title = `${CHECKS} parallel checks over both nodes admit exactly the limit, ${ROUNDS} times: ${algorithm}`;
    it(algorithm === 'sliding_log' ? `B09: ${title}` : title, async () => {
      const admitted: number[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const identifier = randomUUID();
        const verdicts = await Promise.all(
          Array.from({ length: CHECKS / nodes.length }, () => nodes)
            .flat()
            .map((node) => limit(node, namespace, identifier)),
        );
        deepEqual(
          verdicts.filter(({ status, degraded }) => status !== 200 || degraded),
          [],
        );
        admitted.push(verdicts.filter(({ success }) => success).length);
      }
      deepEqual(admitted, Array(ROUNDS).fill(LIMIT));
    });
  }
});
