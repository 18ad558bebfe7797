import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { backupToFile } from '../../src/operations/backup/backup.ts';
import { restore } from '../../src/operations/restore/restore.ts';
import { SQL_DIALECTS } from '../support/sql-engines.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { contents, emptyStores, fill, write } from './stores.ts';

const KILLS = Number(process.env.BRUME_TEST_KILLS ?? 6);
const EXCEPTIONS = 20_000;

for (const dialect of SQL_DIALECTS) {
  describe(`a restore into ${dialect} that is killed`, () => {
    it(`leaves what was there or what is in the backup, whole: ${KILLS} kills at random moments`, async (test) => {
      const config = await emptyStores(test, dialect);
      const directory = temporaryDirectory(test);
      await write(config, (transaction) => fill(transaction, 10, 'old'));
      const oldPath = join(directory, 'old.backup');
      await backupToFile(config, oldPath);
      const old = JSON.stringify(await contents(config));
      const source = await emptyStores(test, 'sqlite');
      await write(source, (transaction) => fill(transaction, EXCEPTIONS, 'new'));
      const newPath = join(directory, 'new.backup');
      await backupToFile(source, newPath);
      const fresh = JSON.stringify(await contents(source));

      const outcomes = new Set<string>();
      let tookMs = 0;
      for (let kill = 0; kill <= KILLS; kill++) {
        const startMs = performance.now();
        const child = spawn(
          process.execPath,
          [join(import.meta.dirname, '../../src/main.ts'), 'restore', '--replace', newPath],
          {
            stdio: 'ignore',
            env: {
              PATH: process.env.PATH,
              BRUME_STATE_DIR: config.stateDir,
              ...(config.databaseUrl !== null && { BRUME_DATABASE_URL: config.databaseUrl }),
            },
          },
        );
        const ended = once(child, 'exit');
        // The first one is let go on, and tells how long it takes.
        if (kill > 0) {
          await Promise.race([ended, delay(tookMs * (0.3 + Math.random() * 0.75))]);
          child.kill('SIGKILL');
        }
        await ended;
        if (kill === 0) tookMs = performance.now() - startMs;
        const found = JSON.stringify(await contents(config));
        assert.ok(found === old || found === fresh, 'neither the old state nor the new');
        outcomes.add(found === old ? 'old' : 'new');
        await restoreAgain(config, oldPath);
      }
      assert.ok(outcomes.has('new'));
    });
  });
}

/** A session of PostgreSQL whose client was killed may still hold its locks for a moment. */
async function restoreAgain(config: Parameters<typeof restore>[0], path: string): Promise<void> {
  await restore(config, { input: createReadStream(path), name: path, isReplacing: true });
}
