import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../../../src/limiter/clock.ts';
import { systemTimers } from '../../../src/stores/cache/timers.ts';
import { ChangeListener } from '../../../src/stores/sql/change-listener.ts';
import { Changes } from '../../../src/stores/sql/changes.ts';
import { migrate } from '../../../src/stores/sql/migrate.ts';
import { PostgresSql } from '../../../src/stores/sql/postgres-sql.ts';
import { ACTOR } from '../../conformance/configuration/samples.ts';
import { startPgbouncer } from '../../support/pgbouncer.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { startPostgres } from '../../support/postgres-server.ts';
import { RecordedLog } from '../../support/recorded-log.ts';
import { startRelay } from '../../support/relay.ts';

const DEED = { action: 'tier.create', target: 'nothing', beforeText: null, afterText: null } as const;

const TERMINATE = `select pg_terminate_backend(pid) from pg_stat_activity
  where application_name = 'brume-listener' and datname = current_database()`;

async function until(condition: () => boolean, what: string): Promise<void> {
  const endMs = performance.now() + 30_000;
  while (!condition()) {
    assert.ok(performance.now() < endMs, `never: ${what}`);
    await delay(5);
  }
}

interface Where {
  /** Through which changes are written. */
  readonly databaseUrl: string;
  readonly listenUrl?: string;
  readonly timeoutMs?: number;
  readonly keepAliveMs?: number;
}

/** A listener, and a way to change something. */
function listen(
  t: TestContext,
  { databaseUrl, listenUrl = databaseUrl, timeoutMs = 10_000, keepAliveMs }: Where,
) {
  const log = new RecordedLog();
  const revisions: number[] = [];
  const sql = new PostgresSql({ databaseUrl, timeoutMs, log: new RecordedLog() });
  const listener = new ChangeListener({
    databaseUrl: listenUrl,
    sql,
    timeoutMs,
    clock: systemClock,
    timers: systemTimers,
    log,
    onChange: (revision) => revisions.push(revision),
    onListening: () => undefined,
    ...(keepAliveMs !== undefined && { keepAliveMs }),
  });
  listener.start();
  t.after(async () => {
    await listener.stop();
    await sql.close();
  });
  const changes = new Changes(sql, {});
  return {
    log,
    revisions,
    listener,
    change: () => changes.make(ACTOR, async ({ revision }) => ({ value: revision, deed: DEED })),
    fail: () =>
      assert.rejects(
        changes.make(ACTOR, async () => {
          throw new Error('changed my mind');
        }),
      ),
    listening: (times = 1) =>
      until(() => listener.stats().isListening && listener.stats().connections >= times, 'it listens'),
  };
}

describe('the listener for changes', () => {
  let database: TestDatabase;

  before(async () => {
    database = await createTestDatabase();
    const sql = new PostgresSql({ databaseUrl: database.url, timeoutMs: 10_000, log: new RecordedLog() });
    await migrate(sql);
    await sql.close();
  });
  after(() => database.drop());

  const directPort = () => Number(new URL(database.url).port);
  const through = (port: number) => Object.assign(new URL(database.url), { port: String(port) }).href;

  it('hears of each change once, in their order, and of none that was rolled back', async (t) => {
    const { revisions, change, fail, listening } = listen(t, { databaseUrl: database.url });
    await listening();
    const first = await change();
    await fail();
    const made = [first, ...(await Promise.all([change(), change(), change()]))];
    await until(() => revisions.length >= made.length, 'every notice');
    assert.deepEqual(
      revisions,
      made.toSorted((a, b) => a - b),
    );
  });

  it('does not take foreign notices for changes', async (t) => {
    const { revisions, change, listening } = listen(t, { databaseUrl: database.url });
    await listening();
    for (const text of ['', 'x', '-1', '1e999']) await database.query(`notify brume_changes, '${text}'`);
    const revision = await change();
    await until(() => revisions.length > 0, 'the notice');
    assert.deepEqual(revisions, [revision]);
  });

  it('whose connection is terminated listens again, and says each once (B55)', async (t) => {
    const { log, revisions, listener, change, listening } = listen(t, { databaseUrl: database.url });
    await listening();
    await database.query(TERMINATE);
    await listening(2);
    const revision = await change();
    await until(() => revisions.includes(revision), 'the notice');
    await until(() => log.lines.length >= 2, 'both lines');
    assert.match(log.lines[0] ?? '', /^warn: nobody listens for changes/);
    assert.deepEqual(log.lines.slice(1), ['info: changes are listened for again']);
    assert.equal(listener.stats().connections, 2);
  });

  it('notices a connection that is dead without an end, and listens on another one', async (t) => {
    const relay = await startRelay(directPort());
    t.after(() => relay.stop());
    const { revisions, listener, change, listening } = listen(t, {
      databaseUrl: database.url,
      listenUrl: through(relay.port),
      timeoutMs: 2000,
      keepAliveMs: 50,
    });
    await listening();
    relay.swallow();
    await until(() => !listener.stats().isListening, 'it notices');
    relay.passAgain();
    await listening(2);
    const revision = await change();
    await until(() => revisions.includes(revision), 'the notice');
  });

  it('behind a pooler in transaction mode says once that it hears nothing, and harms nothing', async (t) => {
    const pooler = await startPgbouncer(database.url);
    t.after(() => pooler.stop());
    const { log, revisions, listener, change } = listen(t, { databaseUrl: pooler.url, timeoutMs: 500 });
    await until(() => log.lines.length > 0, 'the warning');
    assert.match(log.lines.join(), /^warn: notices of changes do not arrive.*BRUME_DATABASE_LISTEN_URL/);
    for (let times = 0; times < 20; times++) await change();
    assert.deepEqual(revisions, []);
    assert.equal(listener.stats().isListening, false);
    assert.equal(log.lines.length, 1);
  });

  it('hears behind that pooler with a way of its own, and behind one in session mode', async (t) => {
    const [pooler, sessions] = await Promise.all([
      startPgbouncer(database.url),
      startPgbouncer(database.url, { poolMode: 'session' }),
    ]);
    t.after(() => Promise.all([pooler.stop(), sessions.stop()]));
    for (const listenUrl of [database.url, sessions.url]) {
      const { revisions, change, listening } = listen(t, { databaseUrl: pooler.url, listenUrl });
      await listening();
      const revision = await change();
      await until(() => revisions.includes(revision), 'the notice');
    }
  });

  it('stops at once, whatever it waits for', async () => {
    const relay = await startRelay(directPort());
    relay.swallow();
    const sql = new PostgresSql({ databaseUrl: database.url, timeoutMs: 10_000, log: new RecordedLog() });
    for (const databaseUrl of [through(relay.port), through(1), database.url]) {
      const listener = new ChangeListener({
        databaseUrl,
        sql,
        timeoutMs: 60_000,
        clock: systemClock,
        timers: systemTimers,
        log: new RecordedLog(),
        onChange: () => undefined,
        onListening: () => undefined,
      });
      listener.start();
      await delay(50);
      const startMs = performance.now();
      await listener.stop();
      assert.ok(performance.now() - startMs < 4000, `${databaseUrl} took ${performance.now() - startMs} ms`);
    }
    await sql.close();
    await relay.stop();
  });
});

describe('the listener for changes, with a server that goes away', () => {
  it('says so once, tries until it is back, and then listens (B55)', async (t) => {
    const server = await startPostgres();
    t.after(() => server.stop());
    const { log, revisions, change, listening } = listen(t, { databaseUrl: server.url, timeoutMs: 5000 });
    await listening();
    const sql = new PostgresSql({ databaseUrl: server.url, timeoutMs: 10_000, log: new RecordedLog() });
    await migrate(sql);
    await sql.close();
    await server.halt();
    await until(() => log.lines.length > 0, 'the warning');
    await delay(1000); // several attempts fail
    await server.start();
    await listening(2);
    const revision = await change();
    await until(() => revisions.includes(revision), 'the notice');
    assert.equal(log.lines.filter((line) => line.startsWith('warn')).length, 1);
  });

  it('listens again after the server stood still (SIGSTOP)', async (t) => {
    const server = await startPostgres();
    t.after(() => server.stop());
    const { revisions, change, listener, listening } = listen(t, {
      databaseUrl: server.url,
      timeoutMs: 1000,
      keepAliveMs: 50,
    });
    const sql = new PostgresSql({ databaseUrl: server.url, timeoutMs: 10_000, log: new RecordedLog() });
    await migrate(sql);
    await sql.close();
    await listening();
    server.freeze();
    await until(() => !listener.stats().isListening, 'it notices');
    server.thaw();
    await listening(2);
    const revision = await change();
    await until(() => revisions.includes(revision), 'the notice');
  });
});
