import assert from 'node:assert/strict';
import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, describe, it, type TestContext } from 'node:test';
import pg from 'pg';
import { askAdmin, createTenant } from '../support/admin-socket.ts';
import { type BrumeProcess, runBrume, type Settings, startBrume } from '../support/brume-process.ts';
import { freePort } from '../support/free-port.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { startRedis } from '../support/redis-server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { check, isRunning, ready, until } from './asked-node.ts';

const window = (limit: number) => ({
  onStoreFailure: 'closed',
  limits: [{ name: 'w', algorithm: 'fixed_window', limit, windowMs: 3_600_000 }],
});
const quota = (limit: number) => ({ quotas: [{ name: 'q', limit, period: 'never' }] });

describe('a start without PostgreSQL', () => {
  let postgres: PostgresServer;
  let databases = 0;

  before(async () => {
    postgres = await startPostgres();
  });
  after(() => postgres.stop());
  afterEach(startPostgresAgain);

  let isHalted = false;
  async function haltPostgres(): Promise<void> {
    await postgres.halt();
    isHalted = true;
  }
  async function startPostgresAgain(): Promise<void> {
    if (isHalted) await postgres.start();
    isHalted = false;
  }

  async function query(statement: string, database?: string): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: database ?? postgres.url });
    await client.connect();
    try {
      return (await client.query(statement)).rows;
    } finally {
      await client.end();
    }
  }

  /** Settings of a node with a database of its own and a directory that stays when it ends. */
  async function settingsOf(t: TestContext): Promise<{ settings: Settings; home: string; file: string }> {
    const home = temporaryDirectory(t);
    databases += 1;
    await query(`create database brume_${databases}`);
    const settings = {
      BRUME_DATABASE_URL: postgres.url.replace(/postgres$/, `brume_${databases}`),
      BRUME_PROPAGATION_MS: '100',
      BRUME_SQL_TIMEOUT_MS: '1500',
      BRUME_QUOTA_CHECKPOINT_MS: '200',
    };
    return { settings, home, file: join(home, 'snapshot.brume') };
  }

  async function started(t: TestContext, settings: Settings, home: string): Promise<BrumeProcess> {
    const brume = await startBrume(settings, home);
    t.after(() => brume.stop('SIGKILL'));
    return brume;
  }

  const adminOf = ({ settings }: BrumeProcess) => String(settings.BRUME_ADMIN_SOCKET);

  /** Resolves once the snapshot has all that was changed. */
  async function kept(brume: BrumeProcess, file: string): Promise<void> {
    const { snapshot } = await ready(brume);
    const confirmation = `"revision":${snapshot.revision},"confirmedAtMs"`;
    await until(async () => existsSync(file) && readFileSync(file, 'utf8').includes(confirmation));
  }

  /** Resolves once Redis has answered a check, however busy the machine. */
  async function counting(brume: BrumeProcess, key: string): Promise<void> {
    await until(async () => typeof (await check(brume, key, 'login', 'nobody')).remaining === 'number');
  }

  /** Ends as in a crash. */
  async function killed(brume: BrumeProcess, file: string): Promise<void> {
    await kept(brume, file);
    await brume.stop('SIGKILL');
  }

  async function refusal(settings: Settings, home: string): Promise<string> {
    const { exitCode, stdout } = await runBrume(
      {
        BRUME_LISTEN: `127.0.0.1:${await freePort()}`,
        BRUME_MANAGEMENT_LISTEN: 'off',
        BRUME_ADMIN_SOCKET: join(home, 'admin.sock'),
        BRUME_STATE_DIR: home,
        ...settings,
      },
      'serve',
    );
    assert.equal(exitCode, 1, stdout);
    const { level, msg } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Record<string, unknown>;
    assert.equal(level, 'fatal');
    return String(msg);
  }

  it('decides as before: counts, blocks, exemptions, overrides and keys; and is whole when PostgreSQL comes', async (t) => {
    const { settings, home, file } = await settingsOf(t);
    const first = await started(t, settings, home);
    const key = await createTenant(adminOf(first), 'shop', { login: window(5), total: quota(10) });
    const exceptions = '/v1/projects/shop/namespaces/login';
    await askAdmin(adminOf(first), 'POST', `${exceptions}/blocks`, { match: 'mallory', reason: 'test' });
    await askAdmin(adminOf(first), 'POST', `${exceptions}/blocks`, { match: 'bot-*' });
    await askAdmin(adminOf(first), 'POST', `${exceptions}/exemptions`, { match: 'root' });
    await askAdmin(adminOf(first), 'POST', `${exceptions}/overrides`, {
      match: 'vip',
      limits: [{ name: 'w', limit: 100 }],
    });
    assert.equal((await check(first, key, 'total', 'alice')).remaining, 9);
    await killed(first, file);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    await haltPostgres();

    const second = await started(t, settings, home);
    assert.match(
      second.log(),
      /"level":"error".*PostgreSQL does not answer.*Starting from the snapshot on disk/,
    );
    const state = await ready(second);
    assert.deepEqual([state.httpStatus, state.status], [200, 'degraded']);
    assert.equal(state.stores.configuration, 'unavailable');
    assert.equal(state.snapshot.source, 'disk');
    assert.equal((await check(second, key, 'login', 'alice')).remaining, 4);
    assert.equal((await check(second, key, 'login', 'mallory')).reason, 'blocked');
    assert.equal((await check(second, key, 'login', 'bot-7')).reason, 'blocked');
    assert.equal((await check(second, key, 'login', 'root')).reason, 'exempt');
    assert.equal((await check(second, key, 'login', 'vip')).limit, 100);
    assert.equal((await check(second, `${key.slice(0, -6)}AAAAAA`, 'login', 'alice')).status, 503);
    const asked = performance.now();
    await assert.rejects(askAdmin(adminOf(second), 'POST', '/v1/projects', { name: 'x' }), /: 503 /);
    await assert.rejects(askAdmin(adminOf(second), 'GET', '/v1/projects'), /: 503 /);
    assert.ok(performance.now() - asked < 2 * 1500, 'within their timeout');

    await startPostgresAgain();
    await until(async () => (await ready(second)).status === 'ready');
    assert.equal((await ready(second)).snapshot.source, 'store');
    assert.equal((await check(second, key, 'login', 'mallory')).reason, 'blocked');
    await askAdmin(adminOf(second), 'POST', `${exceptions}/blocks`, { match: 'eve' });
    assert.equal((await check(second, key, 'login', 'eve')).reason, 'blocked');
    const url = settings.BRUME_DATABASE_URL;
    await until(async () => (await query('select pid::int as pid from nodes', url))[0]?.pid === second.pid);
    // What was used before and since: the checkpoint is restored, and written on.
    await until(async () => ((await check(second, key, 'total', 'alice')).remaining ?? 10) < 8);
    await until(async () => (await query('select 1 from quota_checkpoints where used > 2', url)).length > 0);
    assert.equal(await second.stop('SIGTERM'), 0);
    assert.deepEqual(await query('select pid from nodes', url), []);
  });

  it('takes a frozen PostgreSQL for one that is away, and is not held up by it when asked', async (t) => {
    const { settings, home, file } = await settingsOf(t);
    const first = await started(t, settings, home);
    const key = await createTenant(adminOf(first), 'shop', { login: window(5) });
    await killed(first, file);
    postgres.freeze();
    try {
      const second = await started(t, settings, home);
      assert.equal((await check(second, key, 'login', 'alice')).remaining, 4);
      assert.equal((await ready(second)).snapshot.source, 'disk');
      postgres.thaw();
      await until(async () => (await ready(second)).status === 'ready');
    } finally {
      postgres.thaw();
    }
  });

  it('goes by what was changed before a line that was torn', async (t) => {
    const { settings, home, file } = await settingsOf(t);
    const first = await started(t, settings, home);
    const key = await createTenant(adminOf(first), 'shop', { login: window(5) });
    await kept(first, file);
    const rule = window(6);
    await askAdmin(adminOf(first), 'POST', '/v1/projects/shop/namespaces', { name: 'late', rule });
    await killed(first, file);
    truncateSync(file, statSync(file).size - 5);
    await haltPostgres();
    const second = await started(t, settings, home);
    assert.match(second.log(), /the last change in the snapshot was not written to its end/);
    assert.equal((await check(second, key, 'login', 'alice')).remaining, 4);
    assert.equal((await check(second, key, 'late', 'alice')).status, 404);
  });

  it('is refused without a snapshot, with a damaged one, one that is too old, and one of another database', async (t) => {
    const { settings, home, file } = await settingsOf(t);
    const first = await started(t, settings, home);
    await createTenant(adminOf(first), 'shop', { login: window(5) });
    await killed(first, file);
    await haltPostgres();
    const good = readFileSync(file);

    const nowhere = temporaryDirectory(t);
    assert.match(
      await refusal(settings, nowhere),
      new RegExp(
        `BRUME_DATABASE_URL: PostgreSQL does not answer.*the snapshot ${nowhere}/snapshot.brume is not there`,
      ),
    );
    const other = { ...settings, BRUME_DATABASE_URL: `${settings.BRUME_DATABASE_URL}_other` };
    assert.match(await refusal(other, home), /is of another database, 127\.0\.0\.1:[0-9]+\/brume_[0-9]+$/);
    await new Promise((resolve) => setTimeout(resolve, 1100));
    assert.match(
      await refusal({ ...settings, BRUME_SNAPSHOT_MAX_AGE: '1s' }, home),
      /was confirmed last at .*BRUME_SNAPSHOT_MAX_AGE/,
    );
    assert.match(
      await refusal({ ...settings, BRUME_SNAPSHOT_MAX_AGE: '0' }, home),
      /BRUME_SNAPSHOT_MAX_AGE is 0$/,
    );
    assert.deepEqual(readFileSync(file), good);

    good[10] = (good[10] ?? 0) ^ 1;
    writeFileSync(file, good);
    assert.match(await refusal(settings, home), /is damaged \(.*\) and was moved to .*damaged-[0-9]+$/);
    assert.equal(existsSync(file), false);
  });

  /** A copy of the database as it is now, and what puts it back in its place. */
  async function backedUp(url: string) {
    const name = new URL(url).pathname.slice(1);
    const copy = `${name}_copy`;
    const replaceBy = async (source: string) => {
      await query(`drop database if exists ${name} with (force)`);
      await query(`create database ${name} template ${source}`);
    };
    await query(`alter database ${name} with allow_connections false`);
    await query(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
    await query(`create database ${copy} template ${name}`);
    await query(`alter database ${name} with allow_connections true`);
    return {
      /** As at the beginning of a restore. */
      empty: () => replaceBy('template0'),
      /** As in the middle of one: rows are there, keys and what refers to them are not, and rows are missing. */
      restoreByHalf: async () => {
        const half = url.replace(/[^/]*$/, `${name}_half`);
        await query(`create database ${name}_half template ${copy}`);
        await query('alter table namespaces drop constraint namespaces_pkey cascade', half);
        await query('delete from namespaces', half);
        await replaceBy(`${name}_half`);
      },
      restore: () => replaceBy(copy),
    };
  }

  async function tablesIn(url: string): Promise<number> {
    return (await query('select 1 from pg_tables where schemaname = current_schema()', url)).length;
  }

  it('is made where the database is empty, too: nothing is written to it until it is restored as a whole', async (t) => {
    const { settings, home, file } = await settingsOf(t);
    const url = String(settings.BRUME_DATABASE_URL);
    const first = await started(t, settings, home);
    const key = await createTenant(adminOf(first), 'shop', { login: window(5) });
    await first.stop('SIGTERM');
    const backup = await backedUp(url);
    await backup.empty();
    const good = readFileSync(file);

    writeFileSync(file, good.with(good.length >> 1, 0));
    assert.match(await refusal(settings, home), /the database is empty.*restore its backup.*is damaged/);
    assert.ok(existsSync(file), 'the next start must not take the database for a new one');
    writeFileSync(file, good.with(3, 0));
    assert.match(await refusal(settings, home), /the database is empty.*can't be read/);
    writeFileSync(file, good);
    await new Promise((resolve) => setTimeout(resolve, 1100));
    assert.match(
      await refusal({ ...settings, BRUME_SNAPSHOT_MAX_AGE: '1s' }, home),
      /the database is empty.*was confirmed last at/,
    );
    assert.equal(await tablesIn(url), 0);

    const second = await started(t, settings, home);
    assert.match(
      second.log(),
      /"level":"error".*the database is empty.*restore its backup.*move .*snapshot.brume/,
    );
    assert.equal((await ready(second)).status, 'degraded');
    assert.equal((await ready(second)).snapshot.source, 'disk');
    assert.equal((await check(second, key, 'login', 'alice')).status, 200);
    assert.equal(await tablesIn(url), 0);
    await backup.restoreByHalf();
    await until(async () => second.log().includes('a backup is being loaded into the database'));
    assert.equal((await check(second, key, 'login', 'alice')).status, 200);
    await backup.restore();
    await until(async () => (await ready(second)).status === 'ready');
    assert.equal((await ready(second)).snapshot.source, 'store');
    assert.equal((await check(second, key, 'login', 'alice')).status, 200);
    await second.stop('SIGTERM');

    await backup.empty();
    const unkept = await started(t, { ...settings, BRUME_SNAPSHOT_MAX_AGE: '0' }, home);
    assert.equal((await check(unkept, key, 'login', 'alice')).status, 401);
  });

  it('is refused where the database is another installation’s, with both ways out; without the snapshot it goes by that', async (t) => {
    const { settings, home, file } = await settingsOf(t);
    const url = String(settings.BRUME_DATABASE_URL);
    const first = await started(t, settings, home);
    const key = await createTenant(adminOf(first), 'shop', { login: window(5) });
    await first.stop('SIGTERM');
    await (await backedUp(url)).empty();
    const elsewhere = { BRUME_DATABASE_URL: url, BRUME_STATE_DIR: temporaryDirectory(t) };
    assert.equal((await runBrume(elsewhere, 'migrate')).exitCode, 0);
    const reason = await refusal(settings, home);
    assert.match(reason, /another installation's: its identifier secret.*Restore the right database/);
    assert.ok(reason.includes(`move ${file} away`), reason);
    assert.deepEqual(
      readdirSync(home).filter((name) => name.includes('other')),
      [],
    );
    renameSync(file, `${file}.away`);
    const second = await started(t, settings, home);
    assert.equal((await check(second, key, 'login', 'alice')).status, 401);
  });

  it('harms no node that lives: those go on from memory, with an empty database and another one’s, and take their own back', async (t) => {
    const { settings: alone, home, file } = await settingsOf(t);
    const redis = await startRedis();
    t.after(() => redis.stop());
    const settings: Settings = { ...alone, BRUME_REDIS_URL: redis.url, BRUME_REDIS_TIMEOUT_MS: '1000' };
    const url = String(settings.BRUME_DATABASE_URL);
    const starting = await started(t, settings, home);
    const key = await createTenant(adminOf(starting), 'shop', { login: window(9) });
    await kept(starting, file);
    const live = await started(t, settings, temporaryDirectory(t));
    await starting.stop('SIGTERM');
    const backup = await backedUp(url);
    await until(async () => (await ready(live)).status === 'ready');
    await askAdmin(adminOf(live), 'POST', '/v1/projects', { name: 'later' });

    await backup.empty();
    await until(async () => /"level":"error".*the database is empty/.test(live.log()));
    const again = await started(t, settings, home);
    await counting(again, key);
    assert.equal((await check(again, key, 'login', 'alice')).remaining, 8);
    assert.equal((await check(live, key, 'login', 'alice')).remaining, 7);
    // Of a node that knows nothing of this database the Redis does.
    const stranger = temporaryDirectory(t);
    assert.match(await refusal(settings, stranger), /another live installation counts in this Redis/);
    assert.equal(await tablesIn(url), 0);

    const elsewhere = { BRUME_DATABASE_URL: url, BRUME_STATE_DIR: stranger };
    assert.equal((await runBrume(elsewhere, 'migrate')).exitCode, 0);
    for (const brume of [live, again]) {
      await until(async () => /"level":"error".*the database is another installation's/.test(brume.log()));
      const { httpStatus, status, stores } = await ready(brume);
      assert.deepEqual([httpStatus, status, stores.configuration], [200, 'degraded', 'unavailable']);
      assert.equal((await check(brume, key, 'login', 'bob')).status, 200);
      await assert.rejects(askAdmin(adminOf(brume), 'POST', '/v1/projects', { name: 'x' }), /: 503 /);
      assert.equal((await check(brume, `${key.slice(0, -6)}AAAAAA`, 'login', 'alice')).status, 503);
    }
    assert.deepEqual(await query('select pid from nodes', url), []);

    await backup.restoreByHalf();
    await until(async () => live.log().includes('a backup is being loaded into the database'));
    assert.equal((await check(live, key, 'login', 'bob')).status, 200);
    await backup.restore();
    for (const brume of [live, again]) {
      await until(async () => (await ready(brume)).status === 'ready');
      assert.equal((await check(brume, key, 'login', 'alice')).status, 200);
    }
    const projects = (await askAdmin(adminOf(live), 'GET', '/v1/projects')) as { items: { name: string }[] };
    assert.deepEqual(
      projects.items.map(({ name }) => name),
      ['shop'],
    );
    await until(async () => (await query('select pid from nodes', url)).length === 2);
  });

  it('needs nothing more after a clean stop and the restore of another installation', async (t) => {
    const { settings: alone, home, file } = await settingsOf(t);
    const redis = await startRedis();
    t.after(() => redis.stop());
    const settings: Settings = { ...alone, BRUME_REDIS_URL: redis.url, BRUME_REDIS_TIMEOUT_MS: '1000' };
    const other = temporaryDirectory(t);
    const source = await started(t, {}, other);
    const key = await createTenant(adminOf(source), 'shop', { login: window(5) });
    assert.equal((await source.run('backup', join(other, 'backup'))).exitCode, 0);
    const first = await started(t, settings, home);
    await kept(first, file);
    assert.equal(await first.stop('SIGTERM'), 0);
    assert.deepEqual(await redis.client.keys('{brume}owner*'), []);
    const restored = await runBrume(first.settings, 'restore', '--replace', join(other, 'backup'));
    assert.equal(restored.exitCode, 0, restored.stderr);
    assert.match(
      restored.stdout,
      /The snapshot of the installation that was there before is now .*\.other-[0-9]+\./,
    );
    const second = await started(t, settings, home);
    await counting(second, key);
    assert.equal((await check(second, key, 'login', 'alice')).remaining, 4);
  });

  it('ends with a clear line if the schema turns out to be too new', async (t) => {
    const { settings, home, file } = await settingsOf(t);
    const first = await started(t, settings, home);
    await createTenant(adminOf(first), 'shop', { login: window(5) });
    await killed(first, file);
    await query(
      `insert into schema_migrations (version, name, sha256, is_breaking, applied_at) values (9999, 'later', 'x', 1, 0)`,
      settings.BRUME_DATABASE_URL,
    );
    await haltPostgres();
    const second = await started(t, settings, home);
    await startPostgresAgain();
    await until(async () => !isRunning(second.pid));
    assert.equal(await second.stop(), 1);
    assert.match(second.log(), /"level":"fatal".*migration 9999/);
  });

  it('leaves no snapshot beside the embedded database', async (t) => {
    const home = temporaryDirectory(t);
    const brume = await started(t, {}, home);
    await createTenant(adminOf(brume), 'shop', { login: window(5) });
    await brume.stop('SIGTERM');
    assert.deepEqual(
      readdirSync(home).filter((name) => name.startsWith('snapshot')),
      [],
    );
  });
});
