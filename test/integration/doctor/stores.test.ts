import assert from 'node:assert/strict';
import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Client } from 'pg';
import { proofFindings } from '../../../src/operations/doctor/store-findings.ts';
import { runBrume, startBrume } from '../../support/brume-process.ts';
import { createTestDatabase } from '../../support/postgres.ts';
import { type RedisServer, startRedis } from '../../support/redis-server.ts';
import { assertFailure, assertWarning, diagnose, stopped, told } from './diagnosis.ts';

describe('brume doctor, of the stores', { timeout: 300_000 }, () => {
  let redis: RedisServer;
  before(async () => {
    redis = await startRedis();
  });
  after(() => redis?.stop());

  test('what is embedded and whole is said to be so, while it is served from and before it is made', async (t) => {
    const brume = await startBrume();
    t.after(() => brume.stop());
    const diagnosis = await diagnose(brume.settings);
    assert.deepEqual(
      told(diagnosis, 'stores').map(({ text }) => text.replace(/.*\//, '')),
      ['brume.sqlite: whole.', 'counters.sqlite: whole.'],
    );
    assert.match(told(diagnosis, 'schema', 'ok')[0]?.text ?? '', /up to date/);
    const before = await diagnose(await stopped(t));
    assert.equal(
      told(before, 'stores', 'ok').filter(({ text }) => /made at the first start/.test(text)).length,
      2,
    );
  });

  test('a damaged database is told', async (t) => {
    const settings = await stopped(t);
    assert.equal((await runBrume(settings, 'migrate')).exitCode, 0);
    const file = openSync(join(settings.BRUME_STATE_DIR ?? '', 'brume.sqlite'), 'r+');
    writeSync(file, Buffer.alloc(8192, 0x5a), 0, 8192, 4096);
    closeSync(file);
    const failures = told(await diagnose(settings), 'stores', 'failure');
    assert.match(failures[0]?.text ?? '', /brume\.sqlite: it can't be used/);
    assert.match(failures[0]?.remedy ?? '', /restore a backup/);
  });

  test('stores that were moved are told', async (t) => {
    const settings = await stopped(t);
    assert.equal((await runBrume(settings, 'migrate')).exitCode, 0);
    writeFileSync(
      join(settings.BRUME_STATE_DIR ?? '', 'moved.json'),
      JSON.stringify({ to: 'db.internal', at: '' }),
    );
    assertFailure(await diagnose(settings), 'stores', /were moved to db\.internal/, /BRUME_DATABASE_URL/);
  });

  test('a state directory that another Brume has is told', async (t) => {
    const brume = await startBrume();
    t.after(() => brume.stop());
    const settings = await stopped(t, { BRUME_STATE_DIR: brume.settings.BRUME_STATE_DIR ?? '' });
    assertWarning(await diagnose(settings), 'stores', /another process has it/, /fuser/);
  });

  test('a Redis that evicts is a failure; what else is amiss with it a warning', async (t) => {
    const settings = await stopped(t, { BRUME_REDIS_URL: redis.url });
    await redis.client.config('SET', 'maxmemory-policy', 'noeviction');
    const bare = await diagnose(settings);
    assertWarning(bare, 'redis-policy', /writes nothing to disk/, /appendonly yes/);
    assert.equal(bare.exitCode, 0);
    assert.match(
      told(bare, 'clocks', 'ok')[0]?.text ?? '',
      /Redis at .*: its clock and this machine's are \d+ ms apart/,
    );
    await redis.client.config('SET', 'maxmemory-policy', 'allkeys-lru');
    const evicting = await diagnose(settings);
    assertFailure(evicting, 'redis-policy', /allkeys-lru/, /maxmemory-policy noeviction/);
    // What to do stands once, in the remedy.
    assert.match(told(evicting, 'redis-policy', 'failure')[0]?.text ?? '', /their limits begin anew\.$/);
  });

  test('a Redis that refuses to count is a failure, with what to do', async (t) => {
    const own = await startRedis();
    t.after(() => own.stop());
    await own.client.config('SET', 'min-replicas-to-write', '1');
    const diagnosis = await diagnose(await stopped(t, { BRUME_REDIS_URL: own.url }));
    const [failure] = told(diagnosis, 'stores', 'failure');
    assert.match(failure?.text ?? '', /refuses what would count: .*NOREPLICAS/);
    assert.match(failure?.remedy ?? '', /^Bring the replicas back, or lower min-replicas-to-write\.$/);
    assert.equal(diagnosis.exitCode, 1);
    // The configuration is embedded, and the counters are not.
    assert.doesNotMatch(JSON.stringify(told(diagnosis, 'clocks', 'ok')), /embedded counters/);
  });

  test('a Redis that is nearly full is told', async (t) => {
    const own = await startRedis();
    t.after(() => own.stop());
    // So much that what a connection takes is nothing to it: a full one can't be used.
    await own.client.setrange('{brume}ballast', 64 * 1024 * 1024, '.');
    const used = Number(/used_memory:(\d+)/.exec(await own.client.info('memory'))?.[1]);
    await own.client.config('SET', 'maxmemory', String(Math.round(used * 1.02)));
    assertWarning(
      await diagnose(await stopped(t, { BRUME_REDIS_URL: own.url })),
      'redis-policy',
      /% of its maxmemory/,
      /Raise maxmemory/,
    );
  });

  test('a store that is away is told, and nothing of its password', async (t) => {
    const settings = await stopped(t, {
      BRUME_REDIS_URL: 'redis://:hunter2@127.0.0.1:1',
      BRUME_DATABASE_URL: 'postgres://brume:hunter2@127.0.0.1:1/brume',
    });
    const diagnosis = await diagnose(settings);
    assert.equal(told(diagnosis, 'stores', 'failure').length, 2);
    for (const check of ['schema', 'clocks', 'redis-policy'])
      assert.equal(told(diagnosis, check, 'unseen').length, 1, check);
    assert.equal(diagnosis.exitCode, 1);
    assert.ok(!JSON.stringify(diagnosis).includes('hunter2'));
  });

  test('of PostgreSQL it says what the next start does, and whether a newer Brume was there', async (t) => {
    const database = await createTestDatabase();
    t.after(() => database.drop());
    const settings = await stopped(t, { BRUME_DATABASE_URL: database.url });
    assert.match(
      told(await diagnose(settings), 'schema', 'ok')[0]?.text ?? '',
      /the next start, or brume migrate, applies 0?0?0?1?-?projects/,
    );
    assert.equal((await runBrume(settings, 'migrate')).exitCode, 0);
    assert.match(told(await diagnose(settings), 'schema', 'ok')[0]?.text ?? '', /up to date/);
    const client = new Client(database.url);
    await client.connect();
    await client.query(
      "insert into schema_migrations (version, name, sha256, is_breaking, applied_at) values (9000, 'later', 'x', 1, 0)",
    );
    await client.end();
    assertFailure(
      await diagnose(settings),
      'schema',
      /migration 9000 \(later\), which Brume .* does not know/,
      /Install the newer Brume/,
    );
  });
});

test('clocks that are apart are told of the check of clocks, once', () => {
  const findings = proofFindings([
    {
      setting: 'BRUME_DATABASE_URL',
      isUsable: true,
      fault: null,
      faultCode: null,
      remedy: null,
      warnings: [{ code: 'clock_apart', text: 'The clock of PostgreSQL is 5.0 s ahead.' }],
      postgres: {
        version: '16',
        role: 'primary',
        isEncrypted: true,
        clockAheadMs: 5000,
        pending: [],
        warnings: [],
      },
      redis: null,
    },
  ]);
  assert.deepEqual(
    findings
      .filter(({ check }) => check === 'clocks')
      .map(({ state, remedy }) => [state, /NTP/.test(remedy ?? '')]),
    [['warning', true]],
  );
});
