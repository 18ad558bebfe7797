import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, test } from 'node:test';
import { BrumeError } from '../../../src/errors/catalogue.ts';
import { migrate } from '../../../src/stores/sql/migrate.ts';
import type { Sql } from '../../../src/stores/sql/sql.ts';
import { sqlFault } from '../../../src/stores/sql/sql-fault.ts';
import { WatchedSql } from '../../../src/stores/sql/watched-sql.ts';
import { ManualTime } from '../../support/manual-time.ts';
import { RecordedLog } from '../../support/recorded-log.ts';
import { openSqlEngine, type SqlEngine } from '../../support/sql-engines.ts';

const RETRY_MS = 10_000;
const GROW = 'insert into grown (bytes) values (zeroblob(100000))';

describe('whether the embedded database can be written', () => {
  let engine: SqlEngine;
  let sql: WatchedSql;
  let time: ManualTime;
  let log: RecordedLog;

  beforeEach(async () => {
    engine = await openSqlEngine('sqlite');
    await migrate(engine.sql);
    await script('create table grown (bytes blob)');
    time = new ManualTime();
    log = new RecordedLog();
    sql = new WatchedSql(engine.sql, { clock: time, timers: time, log });
  });
  afterEach(async () => {
    await sql.close();
    await engine.close();
  });

  const script = (statements: string) => engine.sql.transaction((inner) => inner.script(statements));
  const grow = () => sql.transaction((inner) => inner.run(GROW));
  const touch = () =>
    sql.transaction((inner) => inner.run('update installation set created_at = created_at'));
  /** As on a full disk: what is there can be written anew, and nothing added. */
  const fill = () => script('pragma max_page_count = 1');
  const makeRoom = () => script('pragma max_page_count = 1000000');
  /** The real database needs more turns than a promise has. */
  async function advance(byMs: number, until: () => boolean): Promise<void> {
    await time.advance(byMs);
    while (!until()) await new Promise((resolve) => setTimeout(resolve, 1));
  }

  it('a full one says that nothing was changed, is read-only from then on, and tells it once', async () => {
    await fill();
    for (const _twice of [1, 2]) {
      await assert.rejects(grow(), (error) => {
        assert.ok(error instanceof BrumeError);
        assert.deepEqual([error.code, error.isUndone], ['store_unavailable', true]);
        assert.match(String(error.cause), /database or disk is full/);
        return true;
      });
    }
    assert.deepEqual(sql.writeStats(), { failures: 2, isReadOnly: true });
    assert.equal(log.lines.length, 1);
    assert.match(log.lines[0] ?? '', /^error: .*can't be written.*BRUME_STATE_DIR is full/);
    assert.deepEqual(await sql.all('select count(*) as n from grown'), [{ n: 0 }]);
  });

  it('one that takes a small write soon after is still read-only; a write that works later ends that', async () => {
    await fill();
    await assert.rejects(grow());
    await touch();
    assert.ok(sql.writeStats().isReadOnly);
    await makeRoom();
    await time.advance(RETRY_MS - 1);
    await touch();
    assert.ok(sql.writeStats().isReadOnly);
    await advance(1, () => !sql.writeStats().isReadOnly);
    assert.match(log.lines.at(-1) ?? '', /^info: .*can be written again/);
    assert.equal(time.timerCount, 0);
  });

  it('reading, and a transaction that finds nothing to write, prove nothing', async () => {
    await fill();
    await assert.rejects(grow());
    const cancelled = time.timerCount;
    await time.advance(RETRY_MS - 1);
    await sql.all('select 1 as one');
    await sql.transaction((inner) => inner.run("delete from projects where id = 'none'"));
    assert.ok(sql.writeStats().isReadOnly);
    assert.equal(cancelled, 1);
  });
});

test('a PostgreSQL that is full or a standby is read-only, and one that is away is not', async () => {
  for (const [code, isReadOnly] of [
    ['53100', true],
    ['25006', true],
    ['0A000', true],
    ['08006', false],
    ['57P03', false],
    ['53300', false],
  ] as const) {
    const time = new ManualTime();
    const refusing: Sql = {
      dialect: 'postgres',
      all: async () => [],
      transaction: async () => {
        throw sqlFault(Object.assign(new Error('no'), { severity: 'ERROR', code }));
      },
      close: async () => undefined,
    };
    const sql = new WatchedSql(refusing, { clock: time, timers: time, log: new RecordedLog() });
    await assert.rejects(sql.transaction(async () => 1));
    assert.deepEqual(sql.writeStats(), { failures: 1, isReadOnly }, code);
    // Each retry that is refused is followed by another, until it is closed.
    await time.advance(3 * RETRY_MS);
    assert.equal(sql.writeStats().failures, isReadOnly ? 4 : 1, code);
    await sql.close();
    assert.equal(time.timerCount, 0);
  }
});
