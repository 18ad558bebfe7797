import assert from 'node:assert/strict';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { backupToFile } from '../../src/operations/backup/backup.ts';
import { restore } from '../../src/operations/restore/restore.ts';
import type { StoresConfig } from '../../src/operations/stores-config.ts';
import { carriedMigrations } from '../../src/stores/sql/migration-file.ts';
import { SQL_DIALECTS } from '../support/sql-engines.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { emptyStores, fill, write } from './stores.ts';

const COLUMNS = '(revision, at, actor, action, target)';

const add = (config: StoresConfig, ...revisions: number[]) =>
  write(config, async (transaction) => {
    for (const revision of revisions) {
      const row = `(${revision}, ${revision * 1000}, 'local:root', 'user.create', 'user-${revision}')`;
      await transaction.run(`insert into audit ${COLUMNS} values ${row}`);
    }
  });

const revisionsIn = (config: StoresConfig) =>
  write(config, async (transaction) => {
    const rows = await transaction.all('select revision from audit order by revision');
    return rows.map(({ revision }) => Number(revision));
  });

const remove = (config: StoresConfig) =>
  write(config, (transaction) => transaction.run('delete from audit where revision > 0'));

describe('a restore and the audit', () => {
  for (const dialect of SQL_DIALECTS) {
    it(`${dialect}: takes the place of another audit, twice, and what it brings is only added to again`, async (test) => {
      const [source, target] = [await emptyStores(test, dialect), await emptyStores(test, dialect)];
      await write(source, (transaction) => fill(transaction, 1));
      await add(source, 1, 2, 3);
      await write(target, (transaction) => fill(transaction, 1, 'other'));
      await add(target, 7, 8);
      const path = join(temporaryDirectory(test), 'x.backup');
      await backupToFile(source, path);
      for (let time = 0; time < 2; time++) {
        await restore(target, { input: createReadStream(path), name: path, isReplacing: true });
        assert.deepEqual(await revisionsIn(target), [1, 2, 3]);
        await assert.rejects(remove(target), ({ cause }: Error) => /only added to/.test(String(cause)));
        assert.deepEqual(await revisionsIn(target), [1, 2, 3]);
      }
    });

    it(`${dialect}: a backup from before the audit was kept so is kept so once it is restored`, async (test) => {
      const [source, target] = [await emptyStores(test, dialect), await emptyStores(test, dialect)];
      const older = carriedMigrations().filter(({ version }) => version < 7);
      await write(source, (transaction) => fill(transaction, 1), older);
      const path = join(temporaryDirectory(test), 'x.backup');
      await backupToFile(source, path);
      await write(target, (transaction) => fill(transaction, 1, 'other'));
      await add(target, 7);
      await restore(target, { input: createReadStream(path), name: path, isReplacing: true });
      assert.deepEqual(await revisionsIn(target), []);
      await add(target, 9);
      await assert.rejects(remove(target), ({ cause }: Error) => /only added to/.test(String(cause)));
    });
  }
});
