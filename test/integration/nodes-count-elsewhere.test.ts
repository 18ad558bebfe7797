import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type BrumeProcess, startBrume } from '../support/brume-process.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { type RedisServer, startRedis } from '../support/redis-server.ts';
import { waitFor } from '../support/wait-for.ts';

/** What a node that is missing for 18 s may take to be told, on a busy machine. */
const TOLD = { timeoutMs: 90_000, everyMs: 500 };

describe('two nodes of one configuration', () => {
  let redis: RedisServer;
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  const nodes: BrumeProcess[] = [];

  before(async () => {
    redis = await startRedis();
    database = await createTestDatabase();
  });
  after(async () => {
    for (const node of nodes) await node.stop();
    await database?.drop();
    await redis?.stop();
  });

  async function start(number: number): Promise<BrumeProcess> {
    const settings = { BRUME_DATABASE_URL: database.url, BRUME_REDIS_URL: `${redis.url}/${number}` };
    const node = await startBrume(settings);
    nodes.push(node);
    return node;
  }
  const elsewhereOf = async (node: BrumeProcess) => {
    const { stdout } = await node.run('status', '--json');
    return (JSON.parse(stdout) as { nodesElsewhere: { pid: number }[] }).nodesElsewhere.map(({ pid }) => pid);
  };

  it('that count in two databases of a Redis say so of each other, and not of one beside them', async () => {
    const [first, beside, apart] = [await start(0), await start(0), await start(1)];
    await waitFor(
      'the first to tell of the one apart',
      async () => (await elsewhereOf(first)).length > 0,
      TOLD,
    );
    assert.deepEqual(await elsewhereOf(first), [apart.pid]);
    await waitFor('the one apart to tell of both', async () => (await elsewhereOf(apart)).length > 1, TOLD);
    assert.deepEqual(new Set(await elsewhereOf(apart)), new Set([first.pid, beside.pid]));
    const { exitCode, stdout } = await apart.run('status');
    assert.equal(exitCode, 1);
    assert.match(stdout, /^count elsewhere /m);
    assert.match(apart.log(), /counts in another Redis/);

    await apart.stop();
    await waitFor('all to be well', async () => (await first.run('status')).exitCode === 0, TOLD);
  });
});
