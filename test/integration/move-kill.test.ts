import { deepEqual, equal, ok } from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { askAdmin, createTenant } from '../support/admin-socket.ts';
import {
  type BrumeProcess,
  runBrume,
  type Settings,
  spawnBrume,
  startBrume,
} from '../support/brume-process.ts';
import { countersAvailable } from '../support/counters-available.ts';
import { limitCall } from '../support/limit-call.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { startRedis } from '../support/redis-server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { dataCall } from './moving-out/data-call.ts';

const KILLS = Number(process.env.TEST_KILLS ?? 6);
const PORTION = 1000;
const BLOCKS = 5 * PORTION;
const COUNTED = 5 * PORTION;
const RULE = {
  limits: [{ name: 'log', algorithm: 'sliding_log', limit: 50, windowMs: 86_400_000 }],
  quotas: [{ name: 'ever', limit: 30, period: 'never' }],
};
/** A slow machine's Redis must not be taken for a dead one. */
const PATIENT = { BRUME_REDIS_TIMEOUT_MS: '10000' };

/** An identifier has used 1 to 10, by its number. */
const costOf = (number: number) => 1 + (number % 10);

async function fill(brume: BrumeProcess): Promise<string> {
  const socket = brume.settings.BRUME_ADMIN_SOCKET ?? '';
  const key = await createTenant(socket, 'shop', { login: RULE });
  for (let first = 0; first < COUNTED; first += PORTION) {
    const checks = Array.from({ length: PORTION }, (_, index) => ({
      namespace: 'login',
      identifier: `user-${first + index}`,
      cost: costOf(first + index),
    }));
    equal((await dataCall(brume, key, 'POST', 'limit/batch', { checks })).status, 200);
  }
  for (let first = 0; first < BLOCKS; first += PORTION) {
    const entries = Array.from({ length: PORTION }, (_, index) => ({ match: `blocked-${first + index}` }));
    await askAdmin(socket, 'POST', '/v1/projects/shop/namespaces/login/blocks/import', { entries });
  }
  return key;
}

/** Whoever serves from it finds every tenth of all that was counted and blocked. */
async function assertWhole(settings: Settings, directory: string, key: string): Promise<void> {
  const brume = await startBrume({ ...settings, ...PATIENT }, directory);
  try {
    await countersAvailable(brume);
    for (let number = 0; number < COUNTED; number += COUNTED / 50 + 1) {
      const check = { namespace: 'login', identifier: `user-${number}`, cost: 0 };
      const { remaining, degraded } = await limitCall(brume, key, check);
      deepEqual([remaining, degraded], [30 - costOf(number), false], check.identifier);
    }
    for (let number = 0; number < BLOCKS; number += BLOCKS / 50 + 1) {
      const check = { namespace: 'login', identifier: `blocked-${number}`, cost: 0 };
      equal((await limitCall(brume, key, check)).reason, 'blocked', check.identifier);
    }
  } finally {
    await brume.stop();
  }
}

describe('a move to PostgreSQL and Redis that is killed', () => {
  it(`leaves the source as it was, and a repeat moves all of it: ${KILLS} kills at random moments`, async (test) => {
    const directory = temporaryDirectory(test);
    const source = await startBrume({}, directory);
    test.after(() => source.stop('SIGKILL'));
    const embedded = { BRUME_STATE_DIR: directory };
    const mark = join(directory, 'moved.json');
    const key = await fill(source);
    equal(await source.stop(), 0);
    const redis = await startRedis();
    test.after(() => redis.stop());

    let tookMs = Number.POSITIVE_INFINITY;
    let interrupted = 0;
    let whole: unknown;
    for (let kill = 0; kill <= KILLS; kill++) {
      const database = await createTestDatabase();
      test.after(() => database.drop());
      const targets = { BRUME_DATABASE_URL: database.url, BRUME_REDIS_URL: redis.url };
      const command = ['move', '--to', database.url, '--redis', redis.url, '--json'];
      const startMs = performance.now();
      if (kill > 0) await killed(embedded, command, tookMs * (0.1 + Math.random() * 0.9));
      if (existsSync(mark)) {
        // Everything was done, and faster than before.
        tookMs = Math.min(tookMs, performance.now() - startMs);
        await assertWhole(targets, directory, key);
      } else {
        if (kill > 0) {
          interrupted += 1;
          await assertWhole({}, directory, key);
        }
        const repeatMs = performance.now();
        const { exitCode, stdout, stderr } = await runBrume(embedded, ...command);
        equal(exitCode, 0, stderr);
        // The first one, which is let go on, tells how long it takes and what there is to move.
        tookMs = Math.min(tookMs, performance.now() - repeatMs);
        const { rows, identifiers, damaged } = JSON.parse(stdout);
        // Who owned it last: of a node that was killed that stands until its time is over.
        const keys = (await redis.client.keys('*')).filter((name) => !name.startsWith('{brume}owner'));
        const found = { rows, identifiers, damaged, keys: keys.sort() };
        whole ??= found;
        deepEqual(found, whole);
        if (kill === KILLS) await assertWhole(targets, directory, key);
      }
      await redis.client.flushall();
      rmSync(mark);
    }
    test.diagnostic(`${interrupted} of ${KILLS} kills came before the move was done`);
    ok(interrupted > 0, 'it was always done before it could be killed');
  });
});

async function killed(settings: Settings, command: readonly string[], afterMs: number): Promise<void> {
  const child = spawnBrume(settings, ...command);
  const ended = once(child, 'exit');
  await Promise.race([ended, delay(afterMs)]);
  child.kill('SIGKILL');
  await ended;
}
