import assert from 'node:assert/strict';
import { createReadStream, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { backupToFile } from '../../src/operations/backup/backup.ts';
import { verifyBackup } from '../../src/operations/backup/verify.ts';
import { OperationError } from '../../src/operations/operation-error.ts';
import { DUMPED_TABLES, UNDUMPED_TABLES } from '../../src/stores/sql/dump/dumped-tables.ts';
import { openSql } from '../../src/stores/sql/open-sql.ts';
import { RecordedLog } from '../support/recorded-log.ts';
import { SQL_DIALECTS } from '../support/sql-engines.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { contents, emptyStores, fill, write } from './stores.ts';

const TABLES = {
  postgres: `select table_name as name from information_schema.tables where table_schema = current_schema()`,
  sqlite: `select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'`,
};
const KEYS = {
  postgres: `select a.attname as name from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey)
    where i.indrelid = to_regclass(?1) and i.indisprimary`,
  sqlite: 'select name from pragma_table_info(?1) where pk > 0',
};

for (const dialect of SQL_DIALECTS) {
  describe(`a backup of ${dialect}`, () => {
    it('names every table that the migrations make, by its primary key', async (test) => {
      const config = await emptyStores(test, dialect);
      await write(config, async (transaction) => {
        const tables = (await transaction.all(TABLES[dialect])).map(({ name }) => String(name));
        const named = [...DUMPED_TABLES.map(({ name }) => name), ...UNDUMPED_TABLES];
        assert.deepEqual(named.sort(), tables.sort(), 'name it in src/stores/sql/dump/dumped-tables.ts');
        for (const { name, key } of DUMPED_TABLES) {
          const columns = (await transaction.all(KEYS[dialect], [name])).map((row) => String(row.name));
          assert.deepEqual([...key].sort(), columns.sort(), name);
        }
      });
    });

    it('is of one moment while others write, keeps nobody from writing, and is private', async (test) => {
      const config = await emptyStores(test, dialect);
      await write(config, (transaction) => fill(transaction, 3000));
      const before = await contents(config);
      const path = join(temporaryDirectory(test), 'x.backup');
      const sql = await openSql(config, new RecordedLog());
      try {
        // A change that is under way is no part of it, and one that is made meanwhile neither.
        const pending = sql.transaction(async (transaction) => {
          await transaction.run(`update projects set name = 'renamed'`);
          await backupToFile(config, path);
        });
        await pending;
      } finally {
        await sql.close();
      }
      assert.notDeepEqual(await contents(config), before);
      const { rows } = await verifyBackup(createReadStream(path), path);
      assert.equal(rows.rule_exceptions, 3000);
      assert.match(gunzipSync(readFileSync(path)).toString(), /"prj_shop","shop"/);
      assert.equal(statSync(path).mode & 0o777, 0o600);
      assert.deepEqual(readdirSync(join(path, '..')), ['x.backup']);
    });
  });
}

describe('a backup file', () => {
  async function made(test: Parameters<typeof emptyStores>[0]) {
    const config = await emptyStores(test, 'sqlite');
    await write(config, (transaction) => fill(transaction, 50));
    const path = join(temporaryDirectory(test), 'x.backup');
    await backupToFile(config, path);
    return { path, bytes: readFileSync(path) };
  }
  const verify = (bytes: Buffer) => verifyBackup(Readable.from([bytes]), 'it');

  it('is refused wherever it is cut off, and whichever byte of it is another', async (test) => {
    const { bytes } = await made(test);
    await verify(bytes);
    for (let length = 0; length < bytes.length; length += 97) {
      await assert.rejects(verify(bytes.subarray(0, length)), OperationError);
    }
    // From behind the header of gzip, which has a time and a system in it.
    for (let index = 10; index < bytes.length; index += 41) {
      const damaged = Buffer.from(bytes);
      damaged[index] = (damaged[index] ?? 0) ^ 0x10;
      await assert.rejects(verify(damaged), OperationError, `byte ${index}`);
    }
  });

  it('is refused if a row was taken out, changed or doubled, also where it was compressed again', async (test) => {
    const { bytes } = await made(test);
    const lines = gunzipSync(bytes).toString().split('\n');
    const at = lines.findIndex((line) => line.startsWith('["ex_'));
    for (const changed of [
      lines.toSpliced(at, 1),
      lines.toSpliced(at, 1, (lines[at] ?? '').replace('because', 'becauze')),
      lines.toSpliced(at, 0, lines[at] ?? ''),
      lines.toSpliced(lines.length - 2, 1),
      [...lines.slice(0, -1), '[]', ''],
    ]) {
      await assert.rejects(verify(gzipSync(changed.join('\n'))), OperationError);
    }
  });

  it('that can not be written leaves nothing behind, and what was there before stays', async (test) => {
    const config = await emptyStores(test, 'sqlite');
    const directory = temporaryDirectory(test);
    const path = join(directory, 'x.backup');
    writeFileSync(path, 'the one before');
    await assert.rejects(backupToFile(config, path), /there is no .*brume\.sqlite/);
    assert.equal(readFileSync(path, 'utf8'), 'the one before');
    assert.deepEqual(readdirSync(directory), ['x.backup']);
    await assert.rejects(backupToFile(config, join(directory, 'none', 'x')), /can't be written: ENOENT/);
  });

  it('of a process that was killed is cleared away by the next one', async (test) => {
    const config = await emptyStores(test, 'sqlite');
    await write(config, (transaction) => fill(transaction, 1));
    const directory = temporaryDirectory(test);
    writeFileSync(join(directory, 'x.backup.4194303.new'), 'half of it');
    await backupToFile(config, join(directory, 'x.backup'));
    assert.deepEqual(readdirSync(directory), ['x.backup']);
  });
});
