import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { inspect } from 'node:util';
import pg from 'pg';
import { migrate } from '../../../src/stores/sql/migrate.ts';
import { PostgresSql } from '../../../src/stores/sql/postgres-sql.ts';
import { SqlTenancyStore } from '../../../src/stores/sql/sql-tenancy-store.ts';
import { ACTOR } from '../../conformance/configuration/samples.ts';
import { brumeError } from '../../support/brume-error.ts';
import { settled } from '../../support/manual-time.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { startPostgres } from '../../support/postgres-server.ts';
import { RecordedLog } from '../../support/recorded-log.ts';
import { startRelay } from '../../support/relay.ts';
import { waitFor } from '../../support/wait-for.ts';

const BRUMES = `select pid, state, query from pg_stat_activity
  where application_name = 'brume' and datname = current_database()`;
const TERMINATE = `select pg_terminate_backend(pid) from (${BRUMES}) as brumes`;

const unavailable = brumeError('store_unavailable');

describe('PostgreSQL', () => {
  let database: TestDatabase;
  let log: RecordedLog;
  let sql: PostgresSql;
  let tenancy: SqlTenancyStore;

  before(async () => {
    database = await createTestDatabase();
    log = new RecordedLog();
    sql = new PostgresSql({ databaseUrl: database.url, timeoutMs: 10_000, log });
    await migrate(sql);
    tenancy = new SqlTenancyStore(sql);
  });
  after(async () => {
    await sql.close();
    await database.drop();
  });

  const open = (timeoutMs: number) => new PostgresSql({ databaseUrl: database.url, timeoutMs, log });

  it('closes idle connections (B55): nobody notices, and the log says so seldom', async () => {
    let terminated = 0;
    const admin = new pg.Client({ connectionString: database.url });
    await admin.connect();
    for (let times = 0; times < 20; times++) {
      await Promise.all(Array.from({ length: 5 }, () => tenancy.listProjects()));
      terminated += (await admin.query(TERMINATE)).rowCount ?? 0;
      // A call may still get a connection whose end nobody has heard of.
      assert.deepEqual(await tenancy.listProjects(), []);
    }
    await admin.end();
    const warnings = log.lines.filter((line) => line === 'warn: a connection to PostgreSQL broke');
    assert.ok(terminated >= 20 && warnings.length > 0, `${terminated} ended`);
    assert.ok(warnings.length < terminated, `${warnings.length} warnings`);
  });

  it('closes a connection in a transaction (B55): nothing of it stays, and the next one works', async () => {
    const cut = sql.transaction(async (transaction) => {
      await transaction.run(
        `insert into projects (id, name, revision, created_at, updated_at) values ('cut', 'cut', 1, 1, 1)`,
      );
      await database.query(TERMINATE);
      await transaction.run('select 1');
    });
    await assert.rejects(cut, unavailable);
    assert.equal((await tenancy.createProject({ name: 'after' }, ACTOR)).name, 'after');
    assert.equal(await tenancy.findProject('cut'), undefined);
  });

  it('is given one deadline for a whole call: what a call waited for a connection is gone', async () => {
    const TIMEOUT_MS = 5000;
    const WAIT_MS = 200;
    const crowded = open(TIMEOUT_MS);
    try {
      const { promise: hold, resolve: letGo } = Promise.withResolvers<void>();
      const holding = Array.from({ length: 10 }, () => crowded.transaction(() => hold));
      const left = crowded.all(`select setting::int as ms from pg_settings where name = 'statement_timeout'`);
      setTimeout(letGo, WAIT_MS);
      const [row] = await left;
      assert.ok(Number(row?.ms) <= TIMEOUT_MS - WAIT_MS, `${row?.ms} ms left`);
      await Promise.all(holding);
    } finally {
      await crowded.close();
    }
  });

  it('is given one deadline for all statements of a transaction', async () => {
    const hasty = open(1000);
    try {
      const done: number[] = [];
      const slow = hasty.transaction(async (transaction) => {
        for (let nth = 1; nth <= 3; nth++) {
          await transaction.all('select pg_sleep(0.4)');
          done.push(nth);
        }
      });
      await assert.rejects(slow, unavailable);
      assert.ok(done.length < 3);
    } finally {
      await hasty.close();
    }
  });

  it('is reached anew after connections died without an end: one call finds out for all of them', async () => {
    const relay = await startRelay(Number(new URL(database.url).port));
    const databaseUrl = Object.assign(new URL(database.url), { port: String(relay.port) }).href;
    const cut = new PostgresSql({ databaseUrl, timeoutMs: 1000, log: new RecordedLog() });
    try {
      const { promise: hold, resolve: letGo } = Promise.withResolvers<void>();
      const opening = Array.from({ length: 5 }, () => cut.transaction(() => hold));
      while (cut.poolStats().total < 5) await settled();
      letGo();
      await Promise.all(opening);
      assert.equal(cut.poolStats().idle, 5);
      relay.swallow();
      await assert.rejects(cut.all('select 1'), unavailable);
      relay.passAgain();
      assert.deepEqual(await cut.all('select 1 as one'), [{ one: 1 }]);
    } finally {
      await cut.close();
      await relay.stop();
    }
  });

  it('is asked to end a statement that takes too long', async () => {
    const hasty = open(100);
    try {
      await assert.rejects(hasty.all('select pg_sleep(60)'), unavailable);
      assert.deepEqual(await hasty.all('select 1 as one'), [{ one: 1 }]);
      const active = (await database.query(BRUMES)).filter(({ query }) => /pg_sleep\(60/.test(String(query)));
      assert.ok(active.every(({ state }) => state !== 'active'));
    } finally {
      await hasty.close();
    }
  });

  it('is not waited for longer than that behind a lock, and the change is not made', async () => {
    const hasty = open(1000);
    try {
      await sql.transaction(async (transaction) => {
        await transaction.run('update installation set revision = revision where id = 1');
        await assert.rejects(
          new SqlTenancyStore(hasty).createProject({ name: 'blocked' }, ACTOR),
          unavailable,
        );
      });
      assert.equal(await tenancy.findProject('blocked'), undefined);
      assert.equal(
        (await new SqlTenancyStore(hasty).createProject({ name: 'unblocked' }, ACTOR)).name,
        'unblocked',
      );
    } finally {
      await hasty.close();
    }
  });

  it('never holds the lock of a node that froze in a transaction for long', async () => {
    const frozen = open(100);
    try {
      const stuck = frozen.transaction(async (transaction) => {
        await transaction.run('update installation set revision = revision where id = 1');
        // While this node does nothing, another one has to get the lock.
        assert.equal((await tenancy.createProject({ name: 'not-stuck' }, ACTOR)).name, 'not-stuck');
      });
      await assert.rejects(stuck, unavailable);
    } finally {
      await frozen.close();
    }
  });

  it('lets go of the lock of a node that gave up, or was killed, while its statement runs', async () => {
    const hasty = open(500);
    try {
      const gaveUp = hasty.transaction(async (transaction) => {
        await transaction.run('update installation set revision = revision where id = 1');
        // As if it had begun just before its transaction's deadline, with all its own time before it.
        await transaction.run('set local statement_timeout = 0');
        await transaction.all('select pg_sleep(60)');
      });
      await assert.rejects(gaveUp, unavailable);
      // Within its own 10 s.
      await tenancy.createProject({ name: 'after-giving-up' }, ACTOR);
    } finally {
      await hasty.close();
    }
  });

  it('leaves no named statements and no locks in its sessions', async () => {
    const single = open(1234);
    try {
      await migrate(single);
      await single.all('select 1 where 1 = ?1', [1]);
      const [row] = await single.all(
        `select (select count(*) from pg_prepared_statements) as statements,
                (select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()) as locks`,
      );
      assert.deepEqual(row, { statements: 0, locks: 0 });
    } finally {
      await single.close();
    }
  });

  it('refuses a write outside a transaction', async () => {
    await assert.rejects(sql.all('delete from projects returning id'), unavailable);
  });

  it('answers a commit of an aborted transaction with an error, never with success', async () => {
    const swallowed = sql.transaction(async (transaction) => {
      await transaction.run('select 1 / 0').catch(() => undefined);
    });
    await assert.rejects(swallowed, brumeError('internal'));
  });
});

describe('a PostgreSQL that is away', () => {
  it('is store_unavailable when nobody listens, and never shows the password', async () => {
    const sql = new PostgresSql({
      databaseUrl: 'postgres://brume:secret@127.0.0.1:1/brume',
      timeoutMs: 1000,
      log: new RecordedLog(),
    });
    await assert.rejects(sql.all('select 1'), (error) => {
      unavailable(error);
      assert.ok(
        !`${error} ${JSON.stringify(error)} ${error instanceof Error ? error.cause : ''}`.includes('secret'),
      );
      return true;
    });
    await sql.close();
  });

  it('is store_unavailable when its URL or a file named in it cannot be used', async () => {
    for (const databaseUrl of ['postgres://u:secret@[bad/x', 'postgres://u:secret@db/x?sslrootcert=/none']) {
      const sql = new PostgresSql({ databaseUrl, timeoutMs: 1000, log: new RecordedLog() });
      await assert.rejects(sql.all('select 1'), (error) => {
        unavailable(error);
        assert.ok(!inspect(error, { depth: 9 }).includes('secret'));
        return true;
      });
      await sql.close();
      await sql.close();
    }
  });

  it('is store_unavailable when it accepts connections and says nothing', async () => {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    assert.ok(typeof address === 'object' && address !== null);
    const databaseUrl = `postgres://brume@127.0.0.1:${address.port}/brume`;
    const sql = new PostgresSql({ databaseUrl, timeoutMs: 100, log: new RecordedLog() });
    await assert.rejects(sql.all('select 1'), unavailable);
    await assert.rejects(new SqlTenancyStore(sql).createProject({ name: 'x' }, ACTOR), unavailable);
    await sql.close();
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  it('serves again after a crash and a restart, with what was committed (B55)', async () => {
    const server = await startPostgres();
    const sql = new PostgresSql({ databaseUrl: server.url, timeoutMs: 10_000, log: new RecordedLog() });
    try {
      await migrate(sql);
      const tenancy = new SqlTenancyStore(sql);
      await tenancy.createProject({ name: 'kept' }, ACTOR);
      await server.restart();
      const found = await waitFor('an answer', () => tenancy.findProject('kept').catch(() => undefined));
      assert.equal(found.name, 'kept');
      assert.equal((await tenancy.createProject({ name: 'new' }, ACTOR)).name, 'new');
    } finally {
      await sql.close();
      await server.stop();
    }
  });
});
