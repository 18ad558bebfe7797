import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { migrate } from '../../../src/stores/sql/migrate.ts';
import type { Sql } from '../../../src/stores/sql/sql.ts';
import { SqlTenancyStore } from '../../../src/stores/sql/sql-tenancy-store.ts';
import { SqliteSql } from '../../../src/stores/sql/sqlite-sql.ts';
import { StateDirError } from '../../../src/stores/sql/state-dir-error.ts';
import { brumeError } from '../../support/brume-error.ts';
import { waitFor } from '../../support/wait-for.ts';

/** Takes a while on any machine, and ends. */
const SLOW = `with recursive c (n) as (select 1 union all select n + 1 from c where n < 3000000)
  select count(*) as n from c`;

const HOLDER = join(import.meta.dirname, 'sqlite-holder.ts');

describe('the embedded database', () => {
  let stateDir: string;
  let opened: Sql[];

  beforeEach(() => {
    stateDir = join(mkdtempSync(join(tmpdir(), 'brume-sqlite-')), 'state');
    opened = [];
  });
  afterEach(async () => {
    for (const sql of opened) await sql.close();
    rmSync(join(stateDir, '..'), { recursive: true });
  });

  async function open(timeoutMs = 10_000): Promise<SqliteSql> {
    const sql = await SqliteSql.open({ stateDir, timeoutMs });
    opened.push(sql);
    return sql;
  }

  it('can be read by its user alone, companions included', async () => {
    const umask = process.umask(0);
    try {
      await migrate(await open());
    } finally {
      process.umask(umask);
    }
    assert.equal(statSync(stateDir).mode & 0o777, 0o700);
    for (const name of ['brume.sqlite', 'brume.sqlite-wal', 'brume.sqlite-shm', 'brume.lock']) {
      assert.equal(statSync(join(stateDir, name)).mode & 0o777, 0o600, name);
    }
  });

  it('syncs every commit and keeps foreign keys', async () => {
    const sql = await open();
    await sql.transaction(async (transaction) => {
      assert.deepEqual(await transaction.all('pragma synchronous'), [{ synchronous: 2 }]);
      assert.deepEqual(await transaction.all('pragma journal_mode'), [{ journal_mode: 'wal' }]);
      assert.deepEqual(await transaction.all('pragma foreign_keys'), [{ foreign_keys: 1 }]);
    });
  });

  it('refuses writes outside a transaction', async () => {
    const sql = await open();
    await migrate(sql);
    await assert.rejects(sql.all('delete from projects returning id'), brumeError('store_unavailable'));
  });

  it('refuses a second process on the same directory, and says which and what to do', async () => {
    await migrate(await open());
    const { stdout } = await promisify(execFile)(process.execPath, [HOLDER, stateDir, 'try']);
    assert.match(stdout, /^StateDirError: another Brume process is using the state directory/);
    assert.ok(stdout.includes(stateDir) && stdout.includes('BRUME_STATE_DIR'));
  });

  it('refuses a second opening in the same process, which leaves the lock of the first in place', async () => {
    await migrate(await open());
    await assert.rejects(SqliteSql.open({ stateDir, timeoutMs: 1000 }), StateDirError);
    const { stdout } = await promisify(execFile)(process.execPath, [HOLDER, stateDir, 'try']);
    assert.match(stdout, /^StateDirError: another Brume process/);
  });

  it('is free again after a close and after a kill, with everything that was committed', async () => {
    const holder = spawn(process.execPath, [HOLDER, stateDir, 'hold'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(holder.stdout, 'data');
    await assert.rejects(open(), /another Brume process is using/);
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    for (let times = 0; times < 2; times++) {
      const sql = await open();
      const tenancy = new SqlTenancyStore(sql);
      assert.deepEqual(
        (await tenancy.listProjects()).map(({ name }) => name),
        ['committed'],
      );
      await sql.close();
    }
  });

  it('says what is wrong with a directory that cannot be used', async () => {
    const file = join(stateDir, '..', 'file');
    writeFileSync(file, '');
    const inFile = SqliteSql.open({ stateDir: join(file, 'state'), timeoutMs: 1000 });
    await assert.rejects(inFile, {
      name: 'StateDirError',
      message: /state directory .*file\/state can't be written/,
    });
  });

  it('says so if the file is no database, and does not touch it', async () => {
    await (await open()).close();
    const path = join(stateDir, 'brume.sqlite');
    const content = 'this is no database'.repeat(100);
    writeFileSync(path, content);
    await assert.rejects(open(), {
      name: 'StateDirError',
      message: /can't be opened \(file is not a database\)/,
    });
    assert.equal(statSync(path).size, content.length);
    assert.ok(!existsSync(`${path}-wal`));
  });

  it('works off the event loop', async () => {
    const sql = await open(60_000);
    let turns = 0;
    let isDone = false;
    const answer = sql.all(SLOW).finally(() => {
      isDone = true;
    });
    while (!isDone) {
      await new Promise((resolve) => setImmediate(resolve));
      turns += 1;
    }
    assert.deepEqual(await answer, [{ n: 3_000_000 }]);
    assert.ok(turns > 100, `${turns} turns`);
  });

  it('ends a wait with store_unavailable, and serves again afterwards', async () => {
    const sql = await open(5);
    await assert.rejects(sql.all(SLOW), brumeError('store_unavailable'));
    const rows = await waitFor('an answer', () => sql.all('select 1 as one').catch(() => undefined));
    assert.deepEqual(rows, [{ one: 1 }]);
  });

  it('lets a transaction wait for its turn, and not for ever', async () => {
    const sql = await open(10);
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const holding = sql.transaction(() => released, { timeoutMs: 60_000 });
    await assert.rejects(
      sql.transaction(async () => undefined),
      brumeError('store_unavailable'),
    );
    const waiting = sql.transaction(async () => 'its turn', { timeoutMs: 60_000 });
    release();
    await holding;
    assert.equal(await waiting, 'its turn');
  });

  it('answers nothing once it is closed', async () => {
    const sql = await open();
    await sql.close();
    await sql.close();
    await assert.rejects(sql.all('select 1'), brumeError('store_unavailable'));
    await assert.rejects(
      sql.transaction(async () => undefined),
      brumeError('store_unavailable'),
    );
  });
});
