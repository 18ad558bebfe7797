import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { heldInstallation } from '../../../src/stores/sql/held-installation.ts';
import { findInstallation } from '../../../src/stores/sql/installation.ts';
import { migrate, schemaState } from '../../../src/stores/sql/migrate.ts';
import { carriedMigrations, parseMigration } from '../../../src/stores/sql/migration-file.ts';
import { openSql } from '../../../src/stores/sql/open-sql.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { RecordedLog } from '../../support/recorded-log.ts';
import { openSqlEngine, SQL_DIALECTS, type SqlEngine } from '../../support/sql-engines.ts';

const FIRST = parseMigration(
  '0001-first.sql',
  '-- breaks older executables: no\ncreate table one (id text);',
);
const SECOND = parseMigration(
  '0002-second.sql',
  '-- breaks older executables: no\ncreate table two (id text);',
);
const BREAKING = parseMigration('0002-breaking.sql', '-- breaks older executables: yes\ndrop table one;');
const FAULTY = parseMigration(
  '0002-faulty.sql',
  '-- breaks older executables: no\ncreate table two (id text); create table one (id text);',
);
/** What `migrate` itself writes to. */
const [INSTALLATION] = carriedMigrations();
assert.ok(INSTALLATION !== undefined);
const BASE = { ...INSTALLATION, version: 0 };

for (const dialect of SQL_DIALECTS) {
  describe(`migrations in ${dialect}`, () => {
    let engine: SqlEngine;

    before(async () => {
      engine = await openSqlEngine(dialect);
    });
    after(() => engine.close());

    it('are applied once, in order, and a second run changes nothing', async () => {
      assert.deepEqual(
        (await schemaState(engine.sql, [BASE, FIRST])).pending.map(({ version }) => version),
        [0, 1],
      );
      const names = (await migrate(engine.sql, { migrations: [BASE, FIRST] })).map(({ name }) => name);
      assert.deepEqual(names, [BASE.name, 'first']);
      const secrets = () => engine.sql.all('select identifier_secret from installation');
      const secret = await secrets();
      assert.equal(secret.length, 1);
      const before = await schemaState(engine.sql, [BASE, FIRST]);
      assert.deepEqual(await migrate(engine.sql, { migrations: [BASE, FIRST] }), []);
      assert.deepEqual(await schemaState(engine.sql, [BASE, FIRST]), before);
      assert.deepEqual(await secrets(), secret);
    });

    it('leave nothing of one that fails, and can go on once it is right', async () => {
      await assert.rejects(migrate(engine.sql, { migrations: [BASE, FIRST, FAULTY] }));
      const state = await schemaState(engine.sql, [BASE, FIRST, SECOND]);
      assert.deepEqual(
        state.pending.map(({ name }) => name),
        ['second'],
      );
      assert.equal((await migrate(engine.sql, { migrations: [BASE, FIRST, SECOND] })).length, 1);
    });

    it('are refused if an applied one was changed', async () => {
      const changed = { ...FIRST, sha256: '0'.repeat(64) };
      await assert.rejects(migrate(engine.sql, { migrations: [BASE, changed, SECOND] }), {
        name: 'SchemaError',
        message: /migration 1 \(first\) in the database differs/,
      });
    });

    it('of a newer executable are fine for an older one if they do not break it', async () => {
      assert.deepEqual(await migrate(engine.sql, { migrations: [BASE, FIRST] }), []);
      const { newer } = await schemaState(engine.sql, [BASE, FIRST]);
      assert.deepEqual(
        newer.map(({ name }) => name),
        ['second'],
      );
    });

    it('are refused where the database has one in between that this executable does not know', async () => {
      const third = { ...SECOND, version: 3 };
      await assert.rejects(migrate(engine.sql, { migrations: [BASE, FIRST, third] }), {
        name: 'SchemaError',
        message: /migration 2 \(second\), which Brume [\d.]+ does not know/,
      });
    });

    it('of a newer executable that break older ones make those refuse, and stay untouched', async () => {
      const breaking = { ...BREAKING, version: 3 };
      await migrate(engine.sql, { migrations: [BASE, FIRST, SECOND, breaking] });
      const older = [BASE, FIRST, SECOND];
      const refusal = {
        name: 'SchemaError',
        message:
          /migration 3 \(breaking\), which Brume [\d.]+ .*go up to 2, the database's up to 3\. Install the newer/,
      };
      await assert.rejects(migrate(engine.sql, { migrations: older }), refusal);
      await assert.rejects(schemaState(engine.sql, older), refusal);
      assert.equal((await schemaState(engine.sql, [...older, breaking])).applied.length, 4);
    });
  });

  it(`the carried migrations make the whole schema in ${dialect}`, async () => {
    const engine = await openSqlEngine(dialect);
    try {
      const applied = await migrate(engine.sql);
      assert.deepEqual(
        applied.map(({ version }) => version),
        carriedMigrations().map(({ version }) => version),
      );
      for (const table of ['installation', 'projects', 'api_keys', 'namespaces']) {
        await engine.sql.all(`select count(*) as n from ${table}`);
      }
    } finally {
      await engine.close();
    }
  });
}

describe('five nodes that start at once on an empty PostgreSQL', () => {
  let database: TestDatabase;

  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.drop());

  it('apply each migration once and agree on the installation', async () => {
    const config = { databaseUrl: database.url, stateDir: '', sqlTimeoutMs: 10_000 };
    const nodes = await Promise.all(Array.from({ length: 5 }, () => openSql(config, new RecordedLog())));
    try {
      // As a start does; what a session remembers of that look must not count behind the lock.
      await Promise.all(nodes.map((sql) => heldInstallation(sql)));
      const applied = (await Promise.all(nodes.map((sql) => migrate(sql)))).flat();
      assert.equal(applied.length, carriedMigrations().length);
      const secrets = await Promise.all(nodes.map((sql) => findInstallation(sql)));
      assert.equal(new Set(secrets.map(({ identifierSecret }) => String(identifierSecret))).size, 1);
      const rows = await database.query('select version from schema_migrations');
      assert.equal(rows.length, applied.length);
    } finally {
      await Promise.all(nodes.map((sql) => sql.close()));
    }
  });

  it('start on a finished schema with a role that may not change it', async () => {
    const role = `brume_test_role_${process.pid}`;
    await database.query(
      `create role ${role} login; revoke create on schema public from public;
       grant select, insert, update, delete on all tables in schema public to ${role}`,
    );
    const databaseUrl = Object.assign(new URL(database.url), { username: role }).href;
    const sql = await openSql({ databaseUrl, stateDir: '', sqlTimeoutMs: 10_000 }, new RecordedLog());
    try {
      assert.deepEqual(await migrate(sql), []);
      assert.equal((await findInstallation(sql)).revision, 0);
    } finally {
      await sql.close();
      await database.query(`drop owned by ${role}; drop role ${role}`);
    }
  });

  it('wait for a node that migrates, and take over when it dies half-way', async () => {
    const other = await createTestDatabase();
    const config = { databaseUrl: other.url, stateDir: '', sqlTimeoutMs: 10_000 };
    const [dying, waiting] = await Promise.all([
      openSql(config, new RecordedLog()),
      openSql(config, new RecordedLog()),
    ]);
    try {
      const stuck = { ...FIRST, statements: { ...FIRST.statements, postgres: 'select pg_sleep(25)' } };
      const death = assert.rejects(migrate(dying, { migrations: [BASE, stuck] }));
      const asleep = `select pid from pg_stat_activity where query = 'select pg_sleep(25)' and state = 'active'`;
      let pids: unknown[] = [];
      while (pids.length === 0) pids = (await other.query(asleep)).map(({ pid }) => pid);
      const takenOver = migrate(waiting, { migrations: [BASE, FIRST] });
      await other.query('select pg_terminate_backend($1)', [pids[0]]);
      await death;
      assert.deepEqual(
        (await takenOver).map(({ name }) => name),
        ['first'],
      );
    } finally {
      await Promise.all([dying.close(), waiting.close()]);
      await other.drop();
    }
  });
});
