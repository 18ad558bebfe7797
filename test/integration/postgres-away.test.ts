import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { askAdmin, createTenant } from '../support/admin-socket.ts';
import { type BrumeProcess, startBrume } from '../support/brume-process.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { type Relay, startRelay } from '../support/relay.ts';

/** The product's 5 s, scaled; with room for a machine that does other things. */
const SQL_TIMEOUT_MS = 1000;
const SLOWNESS_MS = 4000;
/** By when the pool is whole after PostgreSQL's return. */
const WHOLE_WITHIN_MS = 10_000;
/** So short that the key has to be looked up again while PostgreSQL is away. */
const KEY_CACHE_MS = 300;
const KEY_LOOKUP_MS = 250;

interface House {
  readonly server: PostgresServer;
  readonly relay: Relay;
  readonly brume: BrumeProcess;
  query(statement: string): Promise<Record<string, unknown>[]>;
  /** The status of a management write, and how long it took. */
  write(): Promise<{ status: number; tookMs: number }>;
  /** The status of a management read. */
  read(): Promise<number>;
  check(key?: string): Promise<number>;
}

async function open(t: TestContext): Promise<House & { key: string }> {
  const server = await startPostgres();
  t.after(() => server.stop());
  const relay = await startRelay(Number(new URL(server.url).port));
  t.after(() => relay.stop());
  const brume = await startBrume({
    BRUME_DATABASE_URL: Object.assign(new URL(server.url), { port: String(relay.port) }).href,
    BRUME_SQL_TIMEOUT_MS: String(SQL_TIMEOUT_MS),
    BRUME_KEY_CACHE_MS: String(KEY_CACHE_MS),
    BRUME_KEY_LOOKUP_TIMEOUT_MS: String(KEY_LOOKUP_MS),
    // So rarely that only a notice can bring a change.
    BRUME_PROPAGATION_MS: '60000',
  });
  t.after(() => brume.stop());
  const socketPath = brume.settings.BRUME_ADMIN_SOCKET ?? '';
  const rule = { limits: [{ algorithm: 'fixed_window', limit: 1_000_000, windowMs: 3_600_000 }] };
  const key = await createTenant(socketPath, 'shop', { api: rule });
  let writes = 0;
  return {
    server,
    relay,
    brume,
    key,
    async query(statement) {
      const client = new pg.Client({ connectionString: server.url });
      client.on('error', () => undefined);
      await client.connect();
      return client.query(statement).then(
        ({ rows }) => client.end().then(() => rows),
        (error: unknown) => client.end().then(() => Promise.reject(error)),
      );
    },
    async write() {
      const startMs = performance.now();
      const status = await askAdmin(socketPath, 'POST', '/v1/projects', { name: `p${++writes}` }).then(
        () => 201,
        (error: Error) => Number(/: (\d{3}) /.exec(error.message)?.[1] ?? Number.NaN),
      );
      return { status, tookMs: performance.now() - startMs };
    },
    read: () =>
      askAdmin(socketPath, 'GET', '/v1/projects').then(
        () => 200,
        (error: Error) => Number(/: (\d{3}) /.exec(error.message)?.[1] ?? Number.NaN),
      ),
    async check(secret = key) {
      const answer = await fetch(`${brume.url}/v1/limit`, {
        method: 'POST',
        headers: { 'x-api-key': secret, 'content-type': 'application/json' },
        body: JSON.stringify({ namespace: 'api', identifier: 'someone' }),
      });
      await answer.arrayBuffer();
      return answer.status;
    },
  };
}

/** Checks all the time until told to stop, and gives how many of each status there were. */
async function watchChecks(house: House): Promise<() => Promise<Record<number, number>>> {
  assert.equal(await house.check(), 200);
  const seen: Record<number, number> = {};
  let isOver = false;
  const running = (async () => {
    while (!isOver) {
      const status = await house.check();
      seen[status] = (seen[status] ?? 0) + 1;
      await delay(10);
    }
  })();
  return async () => {
    isOver = true;
    await running;
    return seen;
  };
}

async function isWholeAgain(house: House): Promise<void> {
  const endMs = performance.now() + WHOLE_WITHIN_MS;
  let status = 0;
  while (status !== 201) {
    assert.ok(
      performance.now() < endMs,
      `writes still answer ${status} ${WHOLE_WITHIN_MS} ms after the return`,
    );
    ({ status } = await house.write());
  }
  // More than the pool has connections. Writes would wait for each other, and on a busy machine for too long.
  const all = await Promise.all(Array.from({ length: 20 }, () => house.read()));
  assert.deepEqual(new Set(all), new Set([200]));
}

/** A revocation that this node can only hear of. */
async function hearsOfChanges(house: House): Promise<void> {
  const listeners = `select 1 from pg_stat_activity where application_name = 'brume-listener'
    and query in ('listen brume_changes', 'select 1')`;
  const listenMs = performance.now() + 30_000;
  while ((await house.query(listeners)).length === 0) {
    assert.ok(performance.now() < listenMs, 'it never listened again');
    await delay(50);
  }
  await house.query(`begin;
    update installation set revision = revision + 1;
    update api_keys set revoked_at = 1;
    update projects set revision = (select revision from installation);
    select pg_notify('brume_changes', (select revision::text from installation));
    commit`);
  const endMs = performance.now() + 10_000;
  while ((await house.check()) !== 401) {
    assert.ok(performance.now() < endMs, 'the revocation was never heard of');
    await delay(20);
  }
}

async function survives(
  house: House & { key: string },
  outage: () => Promise<void>,
  comeBack: () => Promise<void>,
): Promise<void> {
  const stopWatching = await watchChecks(house);
  await outage();
  for (let times = 0; times < 3; times++) {
    const { status, tookMs } = await house.write();
    assert.equal(status, 503);
    assert.ok(tookMs < SQL_TIMEOUT_MS + SLOWNESS_MS, `a write took ${tookMs} ms`);
    assert.equal(await house.check(`${house.key}x`), 503, 'a key that nobody could look up');
  }
  await delay(2 * KEY_CACHE_MS);
  await comeBack();
  await isWholeAgain(house);
  const { 200: verdicts = 0, ...others } = await stopWatching();
  assert.deepEqual(others, {}, 'every check got its verdict');
  assert.ok(verdicts > 20, `${verdicts} verdicts`);
  await hearsOfChanges(house);
  assert.doesNotMatch(house.brume.log(), /"level":"fatal"/);
  assert.equal(await house.brume.stop(), 0, 'the same process all the time');
}

test('B55: PostgreSQL crashes and comes back: verdicts go on, writes answer 503, then all is whole', async (t) => {
  const house = await open(t);
  await survives(
    house,
    () => house.server.halt(),
    () => house.server.start(),
  );
});

test('B55: PostgreSQL stands still (SIGSTOP) and goes on: verdicts go on, writes answer 503, then all is whole', async (t) => {
  const house = await open(t);
  await survives(
    house,
    async () => house.server.freeze(),
    async () => house.server.thaw(),
  );
});

test('B55: packets are dropped and old connections stay dead: verdicts go on, writes answer 503, then all is whole', async (t) => {
  const house = await open(t);
  await survives(
    house,
    async () => house.relay.swallow(),
    async () => house.relay.passAgain(),
  );
});

test('B55: idle sessions are terminated: the process stays, and nobody notices', async (t) => {
  const house = await open(t);
  const stopWatching = await watchChecks(house);
  for (let times = 0; times < 10; times++) {
    await Promise.all(Array.from({ length: 5 }, () => house.write()));
    await house.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'brume%'`,
    );
    assert.equal((await house.write()).status, 201);
  }
  assert.deepEqual(Object.keys(await stopWatching()), ['200']);
  await hearsOfChanges(house);
  assert.equal(await house.brume.stop(), 0);
});

test('B55: a session is terminated in the middle of a write: that one answers 503 and changed nothing', async (t) => {
  const house = await open(t);
  const stopWatching = await watchChecks(house);
  const holder = new pg.Client({ connectionString: house.server.url });
  await holder.connect();
  await holder.query('begin; lock table projects in access exclusive mode');
  const writing = house.write();
  const stuck = `select pid from pg_stat_activity where application_name = 'brume'
    and wait_event_type = 'Lock' and backend_xid is not null`;
  let pids: unknown[] = [];
  while (pids.length === 0) pids = (await house.query(stuck)).map(({ pid }) => pid);
  await house.query(`select pg_terminate_backend(${pids[0]})`);
  const { status, tookMs } = await writing;
  assert.equal(status, 503);
  assert.ok(tookMs < SQL_TIMEOUT_MS + SLOWNESS_MS, `it took ${tookMs} ms`);
  await holder.query('rollback');
  await holder.end();
  await isWholeAgain(house);
  assert.deepEqual(await house.query(`select name from projects where name = 'p1'`), []);
  assert.deepEqual(Object.keys(await stopWatching()), ['200']);
  assert.equal(await house.brume.stop(), 0);
});
