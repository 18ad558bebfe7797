import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { migrate } from '../../src/stores/sql/migrate.ts';
import type { Sql } from '../../src/stores/sql/sql.ts';
import { SqlTenancyStore } from '../../src/stores/sql/sql-tenancy-store.ts';
import { brumeError } from '../support/brume-error.ts';
import { openSqlEngine, SQL_DIALECTS, type SqlEngine } from '../support/sql-engines.ts';

for (const dialect of SQL_DIALECTS) {
  describe(`SQL in ${dialect}`, () => {
    let engine: SqlEngine;
    let sql: Sql;
    let tenancy: SqlTenancyStore;

    before(async () => {
      engine = await openSqlEngine(dialect);
      sql = engine.sql;
      await migrate(sql);
      tenancy = new SqlTenancyStore(sql);
    });
    after(() => engine.close());

    it('a transaction that fails leaves nothing behind, and the next one works', async () => {
      const insert = `insert into projects (id, name, revision, created_at, updated_at) values (?1, ?1, 1, 1, 1)`;
      const failing = sql.transaction(async (transaction) => {
        await transaction.run(insert, ['half-done']);
        throw new Error('stop here');
      });
      await assert.rejects(failing, /stop here/);
      assert.equal(await tenancy.findProject('half-done'), undefined);
      await sql.transaction((transaction) => transaction.run(insert, ['done']));
      assert.equal((await tenancy.findProject('done'))?.id, 'done');
    });

    it('a reader never sees a transaction that is under way', async () => {
      await sql.transaction(async (transaction) => {
        await transaction.run(
          `insert into projects (id, name, revision, created_at, updated_at) values ('u', 'under-way', 1, 1, 1)`,
        );
        assert.equal(await tenancy.findProject('under-way'), undefined);
      });
      assert.notEqual(await tenancy.findProject('under-way'), undefined);
    });

    it('parameters are bound by their number, in any order and more than once', async () => {
      const [row] = await sql.all(
        'select id from projects where name = ?2 and (name = ?1 or name = ?2) and name <> ?1',
        ['x', 'done'],
      );
      assert.deepEqual(row, { id: 'done' });
    });

    it('an integer beyond 2^53-1 in the database is an error, never a rounded number (B18)', async () => {
      await sql.transaction(async (transaction) => {
        await transaction.script(
          `insert into projects (id, name, revision, created_at, updated_at)
           values ('huge', 'huge', 1, 9007199254740993, 1), ('max', 'max', 1, 9007199254740991, 1)`,
        );
      });
      await assert.rejects(tenancy.findProject('huge'), brumeError('internal'));
      assert.equal((await tenancy.findProject('max'))?.createdAtMs, 9_007_199_254_740_991);
      await sql.transaction((transaction) => transaction.run(`delete from projects where id = 'huge'`));
    });
  });
}
