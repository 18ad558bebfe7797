import assert from 'node:assert/strict';
import { createReadStream, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, it, type TestContext } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { systemClock } from '../../src/limiter/clock.ts';
import { backupToFile } from '../../src/operations/backup/backup.ts';
import { restore } from '../../src/operations/restore/restore.ts';
import type { StoresConfig } from '../../src/operations/stores-config.ts';
import { writeCounters } from '../../src/stores/embedded/stored-counters.ts';
import { carriedMigrations } from '../../src/stores/sql/migration-file.ts';
import { openSql } from '../../src/stores/sql/open-sql.ts';
import { RecordedLog } from '../support/recorded-log.ts';
import { SQL_DIALECTS } from '../support/sql-engines.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { contents, emptyStores, fill, write } from './stores.ts';

async function backupOf(test: TestContext, config: StoresConfig): Promise<string> {
  const path = join(temporaryDirectory(test), 'x.backup');
  await backupToFile(config, path);
  return path;
}

const restored = (config: StoresConfig, path: string, isReplacing = false) =>
  restore(config, { input: createReadStream(path), name: path, isReplacing });

/** The lines of counters. */
function countersIn(path: string): string[] {
  const lines = gunzipSync(readFileSync(path)).toString().split('\n');
  return lines.slice(lines.findIndex((line) => line.startsWith('{"table":"embedded_counters"'))).slice(0, -2);
}

async function count(stateDir: string, key: string): Promise<void> {
  const state = { algorithm: 'fixed_window', identity: 3_600_000, startMs: 1, used: 7 } as const;
  const held = {
    records: new Map([['a', state]]),
    leases: new Map(),
    reservations: { byToken: new Map(), earliestMs: Number.POSITIVE_INFINITY },
  };
  const expiresMonotonicMs = systemClock.monotonicMs() + 3_600_000;
  await writeCounters({ stateDir, clock: systemClock }, [
    [key, { held, answers: undefined, expiresMonotonicMs }],
  ]);
}

describe('a restore', () => {
  it('brings everything from SQLite to PostgreSQL and back, with the counters, unchanged', async (test) => {
    const [first, second, third] = [
      await emptyStores(test, 'sqlite'),
      await emptyStores(test, 'postgres'),
      await emptyStores(test, 'sqlite'),
    ];
    await write(first, (transaction) => fill(transaction, 2345));
    await count(first.stateDir, 'k'.repeat(22));
    const before = await contents(first);
    const one = await backupOf(test, first);
    assert.equal((await restored(second, one)).counters, 'restored');
    assert.deepEqual(await contents(second), before);
    const two = await backupOf(test, second);
    await restored(third, two);
    assert.deepEqual(await contents(third), before);
    const three = await backupOf(test, third);
    assert.equal(countersIn(one).length, 2);
    assert.deepEqual(countersIn(two), countersIn(one));
    assert.deepEqual(countersIn(three), countersIn(one));
  });

  for (const dialect of SQL_DIALECTS) {
    it(`${dialect}: raises the revision above all that a node may have seen, and has all exceptions read anew`, async (test) => {
      const config = await emptyStores(test, dialect);
      await write(config, (transaction) => fill(transaction, 3));
      const path = await backupOf(test, config);
      await write(config, (transaction) =>
        transaction.run('update installation set revision = 5000000 where id = 1'),
      );
      const { revision } = await restored(config, path, true);
      assert.ok(revision > 5_000_000);
      const [row] = await write(config, (transaction) =>
        transaction.all('select revision, removals_listed_after from installation'),
      );
      assert.deepEqual({ ...row }, { revision, removals_listed_after: revision });
      const again = await restored(config, path, true);
      assert.ok(again.revision > revision);
    });

    it(`${dialect}: refuses a store that is not empty, unless it is to be replaced; a new one counts as empty`, async (test) => {
      const [source, target] = [await emptyStores(test, dialect), await emptyStores(test, dialect)];
      await write(source, (transaction) => fill(transaction, 3));
      const path = await backupOf(test, source);
      await write(target, async () => undefined);
      await restored(target, path);
      await write(target, (transaction) => fill(transaction, 5, 'other'));
      const filled = await contents(target);
      await assert.rejects(restored(target, path), /not empty \(.*projects.*--replace/);
      assert.deepEqual(await contents(target), filled);
      await restored(target, path, true);
      assert.deepEqual(await contents(target), await contents(source));
    });

    it(`${dialect}: a damaged file changes nothing`, async (test) => {
      const config = await emptyStores(test, dialect);
      await write(config, (transaction) => fill(transaction, 2000));
      const path = await backupOf(test, config);
      const lines = gunzipSync(readFileSync(path)).toString().split('\n');
      await write(config, (transaction) => transaction.run(`update projects set name = 'renamed'`));
      const before = await contents(config);
      writeFileSync(path, gzipSync(lines.toSpliced(-20, 1).join('\n')));
      await assert.rejects(restored(config, path, true), /is damaged: its checksum does not fit/);
      assert.deepEqual(await contents(config), before);
    });

    it(`${dialect}: an older schema is restored and then brought up to date`, async (test) => {
      const [source, target] = [await emptyStores(test, dialect), await emptyStores(test, dialect)];
      await write(source, (transaction) => fill(transaction, 0), carriedMigrations().slice(0, 3));
      const path = await backupOf(test, source);
      assert.doesNotMatch(gunzipSync(readFileSync(path)).toString(), /rule_exceptions/);
      await write(target, (transaction) => fill(transaction, 10, 'other'));
      await restored(target, path, true);
      await write(source, async () => undefined);
      const without = (rows: unknown[]) => JSON.stringify(rows).replace(/\["org_default".*?\]/, '');
      assert.equal(without(await contents(target)), without(await contents(source)));
      await write(target, (transaction) => fill(transaction, 10, 'other'));
    });
  }

  it('refuses backups of a newer format, of a newer schema, and with newer counters', async (test) => {
    const config = await emptyStores(test, 'sqlite');
    await write(config, (transaction) => fill(transaction, 1));
    const path = await backupOf(test, config);
    const [header = '', ...rest] = gunzipSync(readFileSync(path)).toString().split('\n');
    const changed = (members: object) => {
      const text = [JSON.stringify({ ...JSON.parse(header), ...members }), ...rest].join('\n');
      return restore(config, { input: Readable.from([gzipSync(text)]), name: 'it', isReplacing: true });
    };
    const { schema } = JSON.parse(header);
    const newer = { version: 9999, name: 'later', sha256: 'f'.repeat(64), isBreaking: true };
    await assert.rejects(changed({ version: 2, brume: '9.9.9' }), /in format 2, made by Brume 9\.9\.9/);
    await assert.rejects(
      changed({ schema: [...schema, newer] }),
      /migration 9999 \(later\).*newer Brume made it/,
    );
    await assert.rejects(changed({ countersFormat: 99 }), /counters in format 99/);
  });

  it('refuses a directory on which a Brume runs, and a database on which a node is live', async (test) => {
    const [embedded, shared] = [await emptyStores(test, 'sqlite'), await emptyStores(test, 'postgres')];
    await write(embedded, (transaction) => fill(transaction, 1));
    const path = await backupOf(test, embedded);
    const running = await openSql(embedded, new RecordedLog());
    await assert.rejects(restored(embedded, path, true), /another Brume process.*systemctl stop brume/);
    await running.close();
    await write(shared, (transaction) =>
      transaction.run(
        `insert into nodes (id, host, pid, pid_space, counters, started_at, seen_at)
         values ('n', 'web-1', 4711, '', 'redis', 0, cast(extract(epoch from clock_timestamp()) * 1000 as bigint))`,
      ),
    );
    await assert.rejects(restored(shared, path, true), /process 4711 on web-1. Stop every node/);
    await write(shared, (transaction) => transaction.run('update nodes set seen_at = seen_at - 16000'));
    await restored(shared, path, true);
  });

  it('leaves counters alone that are in Redis, and says so', async (test) => {
    const config = await emptyStores(test, 'sqlite');
    await write(config, (transaction) => fill(transaction, 1));
    await count(config.stateDir, 'k'.repeat(22));
    const path = await backupOf(test, config);
    const target = { ...(await emptyStores(test, 'postgres')), redisUrl: 'redis://127.0.0.1:1' };
    assert.equal((await restored(target, path)).counters, 'left_out');
    assert.equal(existsSync(join(target.stateDir, 'counters.sqlite')), false);
  });
});
