import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { carriedMigrations } from '../../src/stores/sql/migration-file.ts';
import { version } from '../../src/version.ts';
import { launchBrume, runBrume, type Settings } from '../support/brume-process.ts';
import { startPgbouncer } from '../support/pgbouncer.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { type RedisServer, startRedis } from '../support/redis-server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const NODES = 5;
const READY_MS = 60_000;
/** The number of the lock at which a migration is held up in the middle. */
const GATE = 4711;
/** "rume", of the number of the migrations' lock. */
const MIGRATION_LOCK_LOW_WORD = 0x72756d65;
const AT_THE_GATE = `select pid from pg_locks where locktype = 'advisory' and objid = ${GATE} and not granted`;

/** Part of a migration has run when it makes this table, and part has not. */
const HOLD_UP = `
  create function hold_up() returns event_trigger language plpgsql as $$
  begin
    if exists (select 1 from pg_event_trigger_ddl_commands() where object_identity = 'public.api_keys') then
      perform pg_advisory_xact_lock(${GATE});
    end if;
  end $$;
  create event trigger hold_up on ddl_command_end when tag in ('CREATE TABLE') execute function hold_up()`;

let redis: RedisServer;

before(async () => {
  redis = await startRedis();
});
after(() => redis.stop());

async function emptyDatabase(t: TestContext): Promise<TestDatabase> {
  const database = await createTestDatabase();
  t.after(() => database.drop());
  return database;
}

async function throughPgbouncer(t: TestContext, database: TestDatabase): Promise<Settings> {
  const pooler = await startPgbouncer(database.url);
  t.after(() => pooler.stop());
  return { BRUME_DATABASE_URL: pooler.url, BRUME_DATABASE_LISTEN_URL: database.url };
}

async function launch(t: TestContext, settings: Settings) {
  // Each test has an installation of its own, and a Redis counts for one.
  const launched = await launchBrume({ BRUME_REDIS_URL: redis.url, ...settings });
  t.after(() => launched.stop('SIGKILL'));
  return launched;
}

async function assertMigratedOnce(database: TestDatabase): Promise<void> {
  const rows = await database.query('select version::int as version from schema_migrations order by version');
  assert.deepEqual(
    rows.map((row) => row.version),
    carriedMigrations().map((migration) => migration.version),
  );
  assert.equal((await database.query('select * from installation')).length, 1);
}

for (const [way, settingsFor] of [
  ['', async (_: TestContext, { url }: TestDatabase): Promise<Settings> => ({ BRUME_DATABASE_URL: url })],
  [' through PgBouncer in transaction mode', throughPgbouncer],
] as const) {
  describe(`five nodes that start at once on an empty database${way}`, () => {
    it('B56: are all ready, and each migration is applied once', async (t) => {
      await redis.client.flushall();
      const database = await emptyDatabase(t);
      const settings = await settingsFor(t, database);
      const nodes = await Promise.all(Array.from({ length: NODES }, () => launch(t, settings)));
      await Promise.all(nodes.map((node) => node.ready(READY_MS)));
      await assertMigratedOnce(database);
      const applied = nodes.flatMap((node) => [...node.log().matchAll(/migration applied/g)]);
      assert.equal(applied.length, carriedMigrations().length);
    });

    it('B56: are ready although the one that migrates is killed half-way, and wait for no time-out', async (t) => {
      await redis.client.flushall();
      const database = await emptyDatabase(t);
      await database.query(HOLD_UP);
      const gate = new pg.Client({ connectionString: database.url });
      // It ends with the database at the latest.
      gate.on('error', () => undefined);
      await gate.connect();
      await gate.query(`select pg_advisory_lock(${GATE})`);
      const settings = await settingsFor(t, database);

      const dying = await launch(t, settings);
      const [held] = await untilSome(() => database.query(AT_THE_GATE));
      const others = await Promise.all(Array.from({ length: NODES - 1 }, () => launch(t, settings)));
      const waiting = `select pid from pg_locks where objid = ${MIGRATION_LOCK_LOW_WORD} and not granted`;
      await untilSome(() => database.query(waiting));
      const killedMs = performance.now();
      await dying.stop('SIGKILL');
      // The next one stands where the killed one stood, while the gate is still shut.
      const next = () => database.query(`${AT_THE_GATE} and pid <> ${held?.pid}`);
      await untilSome(next);
      assert.ok(performance.now() - killedMs < 25_000, 'it had to wait for a time-out');
      await gate.end();
      await Promise.all(others.map((node) => node.ready(READY_MS)));
      await assertMigratedOnce(database);
      const locks = await database.query(
        `select pid from pg_locks where locktype = 'advisory' and objid = ${MIGRATION_LOCK_LOW_WORD}`,
      );
      assert.deepEqual(locks, [], 'no lock stays on a pooled session');
    });
  });
}

async function untilSome(
  query: () => Promise<Record<string, unknown>[]>,
): Promise<Record<string, unknown>[]> {
  const endMs = performance.now() + 30_000;
  for (;;) {
    const rows = await query();
    if (rows.length > 0) return rows;
    assert.ok(performance.now() < endMs, 'nobody came so far');
    await delay(20);
  }
}

describe('a node on the schema of another version', () => {
  /** `serve` and `migrate`, which must refuse alike; gives their message. */
  async function refusal(t: TestContext, settings: Settings): Promise<string> {
    const home = temporaryDirectory(t);
    const all = {
      BRUME_LISTEN: '127.0.0.1:0',
      BRUME_MANAGEMENT_LISTEN: 'off',
      BRUME_ADMIN_SOCKET: join(home, 'admin.sock'),
      BRUME_STATE_DIR: home,
      ...settings,
    };
    const [served, migrated] = await Promise.all([runBrume(all, 'serve'), runBrume(all, 'migrate')]);
    assert.deepEqual([served.exitCode, migrated.exitCode], [1, 1]);
    const message = /Brume can't start: (.*)/.exec(served.stderr)?.[1] ?? served.stderr;
    assert.ok(migrated.stderr.includes(message), migrated.stderr);
    return message;
  }

  /** A database on which a node was ready once, with a project. */
  async function usedDatabase(t: TestContext): Promise<TestDatabase> {
    const database = await emptyDatabase(t);
    const node = await launchBrume({ BRUME_DATABASE_URL: database.url });
    await (await node.ready()).json('project', 'create', `p-${randomUUID().slice(0, 8)}`);
    await node.stop();
    return database;
  }

  const everything = async (database: TestDatabase) => ({
    tables: await database.query(`select table_name, column_name, data_type from information_schema.columns
      where table_schema = 'public' order by 1, 2`),
    migrations: await database.query('select * from schema_migrations order by version'),
    installation: await database.query('select * from installation'),
    projects: await database.query('select * from projects'),
  });

  const add = (database: TestDatabase, isBreaking: boolean) =>
    database.query(
      `insert into schema_migrations (version, name, sha256, is_breaking, applied_at)
       values (9000, 'from-the-future', repeat('0', 64), $1, 1)`,
      [isBreaking ? 1 : 0],
    );

  it('B56: refuses a newer one that breaks it, names both and the remedy, and leaves the data alone', async (t) => {
    const database = await usedDatabase(t);
    await add(database, true);
    const before = await everything(database);
    const message = await refusal(t, { BRUME_DATABASE_URL: database.url });
    const own = carriedMigrations().at(-1)?.version;
    assert.ok(message.includes('migration 9000 (from-the-future)'), message);
    assert.ok(message.includes(`Brume ${version} does not know`), message);
    assert.ok(message.includes(`its own go up to ${own}, the database's up to 9000`), message);
    assert.match(message, /Install the newer Brume that made it, or restore a backup from before it/);
    assert.deepEqual(await everything(database), before);
  });

  it('works with a newer one that does not break it', async (t) => {
    const database = await usedDatabase(t);
    await add(database, false);
    const node = await launchBrume({ BRUME_DATABASE_URL: database.url });
    t.after(() => node.stop('SIGKILL'));
    await (await node.ready()).json('project', 'create', 'new');
    assert.equal(await node.stop(), 0);
  });

  it('refuses one of which an applied migration was changed', async (t) => {
    const database = await usedDatabase(t);
    await database.query(`update schema_migrations set sha256 = repeat('0', 64) where version = 1`);
    const before = await everything(database);
    assert.match(
      await refusal(t, { BRUME_DATABASE_URL: database.url }),
      /migration 1 \(.*\) in the database differs from the one that Brume .* carries/,
    );
    assert.deepEqual(await everything(database), before);
  });
});
