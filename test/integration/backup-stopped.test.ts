import { deepEqual, equal, ok } from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { emptyStores, fill, write } from '../operations/stores.ts';
import { spawnBrume } from '../support/brume-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const EXCEPTIONS = 20_000;
const TRIES = 5;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  describe(`a backup that is stopped by ${signal}`, () => {
    it('leaves no file, and what had its name before stays', async (test) => {
      const config = await emptyStores(test, 'sqlite');
      await write(config, (transaction) => fill(transaction, EXCEPTIONS));
      const directory = temporaryDirectory(test);
      const path = join(directory, 'x.backup');
      let stopped = 0;
      for (let time = 0; time < TRIES && stopped === 0; time++) {
        writeFileSync(path, 'the one before');
        const child = spawnBrume({ BRUME_STATE_DIR: config.stateDir }, 'backup', path);
        const ended = once(child, 'exit');
        while (child.exitCode === null && readdirSync(directory).length === 1) await delay(1);
        child.kill(signal);
        const [exitCode] = await ended;
        // It may have been as fast as this.
        if (exitCode === 0) continue;
        equal(exitCode, 1);
        stopped += 1;
        deepEqual(readdirSync(directory), ['x.backup']);
        equal(readFileSync(path, 'utf8'), 'the one before');
      }
      ok(stopped > 0, 'it was always done before it could be stopped');
    });
  });
}
