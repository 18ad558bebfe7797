import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { askAdmin, createTenant } from '../support/admin-socket.ts';
import { type BrumeProcess, type Settings, startBrume } from '../support/brume-process.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { startRedis } from '../support/redis-server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** Of the whole Brume; test/stores/embedded/kill.test.ts has fifty of its stores. */
const KILLS = Number(process.env.TEST_KILLS ?? 5);

/** What may be lost, and as much again where eight programs share this machine's disk. */
const LOST_MS_MAX = 2000;

const DAY_MS = 86_400_000;
const LOG = { limits: [{ algorithm: 'sliding_log', limit: 10_000, windowMs: DAY_MS }] };
const BUCKET = { limits: [{ algorithm: 'gcra', limit: 10, windowMs: DAY_MS }] };
const PLACES = { limits: [{ algorithm: 'concurrency', limit: 1, ttlMs: 600_000 }] };

interface Verdict {
  readonly success: boolean;
  readonly remaining: number | null;
  readonly lease?: { readonly id: string } | null;
  readonly reservation?: { readonly id: string } | null;
}

interface Answer {
  readonly status: number;
  readonly body: Verdict | undefined;
}

/** A Brume that comes back to the same directory. */
class Installation {
  readonly directory: string;
  readonly #settings: Settings;
  readonly #test: TestContext;
  key = '';

  constructor(test: TestContext, settings: Settings = {}) {
    this.#test = test;
    this.#settings = settings;
    this.directory = temporaryDirectory(test);
  }

  async start(): Promise<BrumeProcess> {
    const brume = await startBrume(this.#settings, this.directory);
    this.#test.after(() => brume.stop('SIGKILL'));
    return brume;
  }

  async makeTenant(brume: BrumeProcess, namespaces: Readonly<Record<string, object>>): Promise<void> {
    const socketPath = brume.settings.BRUME_ADMIN_SOCKET ?? '';
    await createTenant(socketPath, 'shop', namespaces);
    const scopes = ['limit', 'peek', 'reset', 'lease'];
    const made = await askAdmin(socketPath, 'POST', '/v1/projects/shop/keys', {
      name: 'all',
      kind: 'service',
      scopes,
    });
    this.key = (made as { key: string }).key;
  }

  async call(brume: BrumeProcess, method: string, path: string, body?: object): Promise<Answer> {
    const answer = await fetch(`${brume.url}/v1/${path}`, {
      method,
      headers: { 'x-api-key': this.key, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) };
  }

  check(brume: BrumeProcess, namespace: string, more: object = {}): Promise<Answer> {
    return this.call(brume, 'POST', 'limit', { namespace, identifier: 'alice', ...more });
  }

  async remaining(brume: BrumeProcess, namespace: string): Promise<number> {
    const asked = { namespace, identifier: 'alice' };
    return (await this.call(brume, 'POST', 'peek', asked)).body?.remaining ?? Number.NaN;
  }
}

async function until(condition: () => boolean | Promise<boolean>, timeoutMs = 20_000): Promise<void> {
  for (const endMs = Date.now() + timeoutMs; Date.now() < endMs; await delay(20)) {
    if (await condition()) return;
  }
  throw new Error(`it did not come true in time: ${condition}`);
}

describe('embedded stores that are killed', () => {
  it(`after each of ${KILLS} kills all configuration that was acknowledged is there, and so are counts older than a second`, async (t) => {
    const home = new Installation(t);
    let brume = await home.start();
    await home.makeTenant(brume, { counted: LOG });
    const created: string[] = [];
    const countedMs: number[] = [];
    let sent = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const running = brume;
      let isKilled = false;
      const configure = async () => {
        for (let n = 0; ; n++) {
          const name = `n-${kill}-${n}`;
          const socketPath = running.settings.BRUME_ADMIN_SOCKET ?? '';
          await askAdmin(socketPath, 'POST', '/v1/projects/shop/namespaces', { name, rule: BUCKET });
          created.push(name);
        }
      };
      const count = async () => {
        while (sent < 9000) {
          sent++;
          const { body } = await home.check(running, 'counted');
          assert.ok(body?.success === true);
          countedMs.push(Date.now());
        }
      };
      const untilKilled = (work: Promise<void>) =>
        work.catch((error) => {
          if (!isKilled) throw error;
        });
      const working = Promise.all([configure(), count(), count()].map(untilKilled));
      await Promise.race([working, delay(100 + 40 * (kill % 10))]);
      isKilled = true;
      const killedMs = Date.now();
      await running.stop('SIGKILL');
      await working;

      brume = await home.start();
      const used = 10_000 - (await home.remaining(brume, 'counted'));
      const old = countedMs.filter((ms) => ms <= killedMs - LOST_MS_MAX).length;
      assert.ok(used >= old, `kill ${kill}: ${used} counted, ${old} were old enough`);
      assert.ok(used <= sent, `kill ${kill}: ${used} counted, ${sent} sent`);
      // What was lost is lost; it is not to be counted among what must be there next time.
      countedMs.splice(used);
    }
    const { items } = (await askAdmin(
      brume.settings.BRUME_ADMIN_SOCKET ?? '',
      'GET',
      '/v1/projects/shop/namespaces',
    )) as { items: { name: string }[] };
    const names = new Set(items.map(({ name }) => name));
    assert.ok(created.length > KILLS);
    assert.deepEqual(
      created.filter((name) => !names.has(name)),
      [],
    );
  });
});

describe('embedded stores that are restarted', () => {
  it('counts, places, reservations and request ids go on where they were', async (t) => {
    const home = new Installation(t);
    const before = await home.start();
    await home.makeTenant(before, { bucket: BUCKET, places: PLACES });
    await home.check(before, 'bucket', { cost: 2 });
    await home.check(before, 'bucket', { cost: 1, requestId: 'first' });
    const asked = { namespace: 'bucket', identifier: 'alice', cost: 5 };
    const reserved = await home.call(before, 'POST', 'reservations', asked);
    const held = await home.call(before, 'POST', 'leases', { namespace: 'places', identifier: 'alice' });
    assert.equal(await before.stop(), 0);

    const after = await home.start();
    assert.equal(await home.remaining(after, 'bucket'), 2);
    await home.check(after, 'bucket', { cost: 1, requestId: 'first' });
    assert.equal(await home.remaining(after, 'bucket'), 2, 'the retry consumes nothing');
    const commit = `reservations/${reserved.body?.reservation?.id}/commit`;
    assert.equal((await home.call(after, 'POST', commit, { cost: 1 })).status, 200);
    assert.equal(await home.remaining(after, 'bucket'), 6);
    assert.equal((await home.call(after, 'PUT', `leases/${held.body?.lease?.id}`)).status, 200);
    const another = await home.call(after, 'POST', 'leases', { namespace: 'places', identifier: 'alice' });
    assert.equal(another.body?.success, false);
  });

  it('with Redis no counters are kept on disk', async (t) => {
    const redis = await startRedis();
    t.after(() => redis.stop());
    const home = new Installation(t, { BRUME_REDIS_URL: redis.url });
    await home.start();
    assert.ok(existsSync(join(home.directory, 'brume.sqlite')));
    assert.ok(!existsSync(join(home.directory, 'counters.sqlite')));
  });
});

describe('a second process on the same directory', () => {
  it('is refused whichever of the embedded stores the two have', async (t) => {
    const [databases, redis] = await Promise.all([
      Promise.all([createTestDatabase(), createTestDatabase()]),
      startRedis(),
    ]);
    t.after(async () => {
      for (const database of databases) await database.drop();
      await redis.stop();
    });
    const [one, other] = databases.map(({ url }) => ({ BRUME_DATABASE_URL: url }));
    const combinations: [Settings, Settings][] = [
      [{}, {}],
      [{}, one ?? {}],
      [one ?? {}, {}],
      [one ?? {}, other ?? {}],
      [one ?? {}, { BRUME_REDIS_URL: redis.url }],
    ];
    for (const [first, second] of combinations) {
      const home = new Installation(t, first);
      const brume = await home.start();
      const socket = { BRUME_ADMIN_SOCKET: join(home.directory, 'second.sock') };
      await assert.rejects(
        startBrume({ ...second, ...socket }, home.directory),
        /another Brume process is using the state directory/,
        JSON.stringify([Object.keys(first), Object.keys(second)]),
      );
      await brume.stop();
    }
  });
});

describe('a disk that is full', () => {
  it('checks go on, a reset is refused, and what was counted is written once there is room', async (t) => {
    const home = new Installation(t, { BRUME_QUOTA_CHECKPOINT_MS: '60000' });
    const brume = await home.start();
    await home.makeTenant(brume, { bucket: BUCKET });
    await home.check(brume, 'bucket', { cost: 2 });
    const limitFileSize = (bytes: string) =>
      execFileSync('prlimit', ['--pid', String(brume.pid), `--fsize=${bytes}:`]);

    limitFileSize('0');
    await home.check(brume, 'bucket', { cost: 3 });
    await until(() => /embedded counters can not be written to disk/.test(brume.log()));
    assert.equal((await home.check(brume, 'bucket')).body?.success, true);
    const asked = { namespace: 'bucket', identifier: 'alice' };
    assert.equal((await home.call(brume, 'POST', 'reset', asked)).status, 503);
    assert.equal(await home.remaining(brume, 'bucket'), 4);
    await delay(1500);
    assert.equal(brume.log().split('embedded counters can not be written').length, 2, 'one line');

    limitFileSize('unlimited');
    await until(() => /embedded counters are written to disk again/.test(brume.log()));
    await brume.stop('SIGKILL');
    const after = await home.start();
    assert.equal(await home.remaining(after, 'bucket'), 4);
    assert.equal((await home.call(after, 'POST', 'reset', asked)).status, 204);
    assert.equal(await home.remaining(after, 'bucket'), 10);
  });
});

describe('a damaged file of counters', () => {
  it('is set aside, and Brume starts and counts', async (t) => {
    const home = new Installation(t);
    const before = await home.start();
    await home.makeTenant(before, { bucket: BUCKET });
    await home.check(before, 'bucket', { cost: 2 });
    await before.stop();
    const path = join(home.directory, 'counters.sqlite');
    truncateSync(path, statSync(path).size / 2);
    const after = await home.start();
    assert.match(after.log(), /counters is damaged and was set aside/);
    assert.equal((await home.check(after, 'bucket')).body?.remaining, 9);
  });
});
