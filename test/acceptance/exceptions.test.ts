import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTenant } from '../support/admin-socket.ts';
import { type BrumeProcess, type Settings, startBrume } from '../support/brume-process.ts';
import { call } from '../support/http-call.ts';
import { limitCall } from '../support/limit-call.ts';
import { type RedisServer, startRedis } from '../support/redis-server.ts';

const WINDOW_MS = 300;
const HOUR_MS = 3_600_000;
const LOGIN = {
  limits: [
    { name: 'short', algorithm: 'fixed_window', limit: 3, windowMs: WINDOW_MS },
    { name: 'long', algorithm: 'sliding_log', limit: 3, windowMs: HOUR_MS },
  ],
};

/** A slow machine's Redis must not be taken for a dead one. */
const PATIENT = { BRUME_REDIS_TIMEOUT_MS: '10000' };

describe('blocks, exemptions and overrides over the command line', () => {
  let redis: RedisServer;

  before(async () => {
    redis = await startRedis();
  });

  after(async () => {
    await redis?.stop();
  });

  const stores: Record<string, () => Settings> = {
    embedded: () => ({}),
    Redis: () => ({ BRUME_REDIS_URL: redis.url, ...PATIENT }),
  };

  for (const [name, settings] of Object.entries(stores)) {
    it(`B14: an endless block holds over windows and a restart until it is lifted; then the quota is clean: ${name}`, async () => {
      const directory = await mkdtemp(join(tmpdir(), 'brume-block-'));
      let brume = await startBrume(settings(), directory);
      try {
        const key = await createTenant(brume.settings.BRUME_ADMIN_SOCKET ?? '', 'shop', { login: LOGIN });
        const check = (identifier: string) => limitCall(brume, key, { namespace: 'login', identifier });
        const added = await brume.run('block', 'add', 'login', 'mallory', '--reason', 'password guessing');
        equal(added.exitCode, 0, added.stderr);
        equal(added.stdout, 'mallory is blocked in login of shop until it is removed.\n');

        const denied = { success: false, reason: 'blocked', retryAfter: null, degraded: false };
        for (let n = 0; n < 3; n++) {
          const { success, reason, retryAfter, degraded } = await check('mallory');
          deepEqual({ success, reason, retryAfter, degraded }, denied);
          await sleep(WINDOW_MS);
        }
        equal((await check('alice')).success, true, 'nobody else is concerned');
        equal(await brume.stop(), 0);

        brume = await startBrume(settings(), directory);
        const after = await check('mallory');
        deepEqual([after.success, after.reason], [false, 'blocked']);
        equal((await brume.run('block', 'check', 'login', 'mallory')).exitCode, 1);

        const removed = await brume.run('block', 'remove', 'login', 'mallory');
        equal(removed.exitCode, 0, removed.stderr);
        match(removed.stdout, /^Removed the block of mallory \(by local:/);
        const free = await check('mallory');
        deepEqual([free.success, free.limit, free.remaining], [true, 3, 2]);
        equal((await brume.run('block', 'check', 'login', 'mallory')).exitCode, 0);
        equal((await brume.run('block', 'remove', 'login', 'mallory')).exitCode, 1);
      } finally {
        await brume.stop();
        await rm(directory, { recursive: true, force: true });
      }
    });
  }

  describe('on the embedded stores', () => {
    let brume: BrumeProcess;
    let key: string;

    before(async () => {
      brume = await startBrume({ BRUME_TRUSTED_PROXIES: '127.0.0.1/32' });
      const limits = [{ algorithm: 'fixed_window', limit: 5, windowMs: 366 * 24 * HOUR_MS }];
      key = await createTenant(brume.settings.BRUME_ADMIN_SOCKET ?? '', 'shop', {
        api: { limits },
        addresses: { kind: 'ip', limits },
        users: { identifyBy: 'header:X-User', limits },
      });
    });

    after(async () => {
      await brume?.stop();
    });

    const check = (namespace: string, identifier?: string) =>
      limitCall(brume, key, { namespace, ...(identifier !== undefined && { identifier }) });

    async function done(...command: string[]): Promise<string> {
      const { exitCode, stdout, stderr } = await brume.run(...command);
      equal(exitCode, 0, `${command.join(' ')}: ${stderr}`);
      return stdout;
    }

    it('an exemption lets pass what is not counted; when it goes, nothing has been used', async () => {
      await done('exempt', 'add', 'api', 'monitoring', '--for', '1h');
      for (let n = 0; n < 8; n++) {
        const { success, reason } = await check('api', 'monitoring');
        deepEqual([success, reason], [true, 'exempt']);
      }
      await done('exempt', 'remove', 'api', 'monitoring');
      const { success, reason, remaining } = await check('api', 'monitoring');
      deepEqual([success, reason, remaining], [true, null, 4]);
    });

    it('an override changes the numbers and keeps what was used', async () => {
      equal((await check('api', 'customer-7')).remaining, 4);
      const added = await done('override', 'add', 'api', 'customer-*', '--limit', '9007199254740991');
      match(added, /has its own numbers \(default: limit 9007199254740991\)/);
      const verdict = await check('api', 'customer-7');
      deepEqual([verdict.limit, verdict.remaining], [9007199254740991, 9007199254740989]);
      await done('override', 'add', 'api', 'customer-7', '--limit', '1');
      const exact = await check('api', 'customer-7');
      deepEqual([exact.success, exact.limit], [false, 1]);
      await done('override', 'remove', 'api', 'customer-7');
      await done('override', 'remove', 'api', 'customer-*');
      equal((await check('api', 'customer-7')).remaining, 2);
    });

    it('a second block is refused with what holds; --replace puts it in its place', async () => {
      await done('block', 'add', 'api', 'twice', '--for', '2h', '--reason', 'one');
      const again = await brume.run('block', 'add', 'api', 'twice');
      equal(again.exitCode, 1);
      match(again.stderr, /A block of twice by local:.* holds since .*, until .*With --replace/);
      await done('block', 'add', 'api', 'twice', '--replace');
      const list = Object(await brume.json('block', 'list', 'api', '--match', 'twice'));
      deepEqual([list.items.length, list.items[0].expiresAt, list.next], [1, null, null]);
      match(list.items[0].author, /^local:(?!unknown)/);
    });

    it('a block of a network warns of an exemption in it, which wins', async () => {
      await done('exempt', 'add', 'addresses', '203.0.113.7');
      const added = await done('block', 'add', 'addresses', '203.0.113.0/24');
      match(added, /Warning: the exemption 203\.0\.113\.7 wins over it where both match\./);
      equal((await check('addresses', '203.0.113.8')).reason, 'blocked');
      equal((await check('addresses', '::ffff:203.0.113.7')).reason, 'exempt');
      const explained = await brume.run('block', 'check', 'addresses', '203.0.113.7');
      equal(explained.exitCode, 0);
      match(explained.stdout, /^203\.0\.113\.7 is exempt.*\n\n.*\nyes +exemption.*\nno: less exact +block/);
    });

    it('one address of a /64 is blocked, and its neighbours are not', async () => {
      await done('block', 'add', 'addresses', '2001:db8::bad');
      equal((await check('addresses', '2001:db8::bad')).reason, 'blocked');
      equal((await check('addresses', '2001:db8::900d')).reason, null);
    });

    it('a file of addresses is imported whole, and can be imported again', async () => {
      const file = join(brume.settings.BRUME_STATE_DIR ?? '', 'list.txt');
      const lines = Array.from({ length: 2500 }, (_, n) => `10.1.${n >> 8}.${n & 255}`);
      await writeFile(file, lines.join('\n'));
      const first = await done('block', 'import', 'addresses', file, '--for', '1d', '--reason', 'list');
      equal(first, 'Imported 2500 blocks into addresses of shop: 2500 new, 0 in the place of others.\n');
      equal((await check('addresses', '10.1.9.195')).reason, 'blocked');
      const again = await brume.run('block', 'import', 'addresses', file);
      equal(again.exitCode, 1);
      match(again.stdout, /list\.txt:1: A block of 10\.1\.0\.0 by .* With --replace/);
      const replaced = await done('block', 'import', 'addresses', file, '--replace');
      match(replaced, /0 new, 2500 in the place of others/);
    });

    it('B41: an allow list gives nobody a shared bucket, and no identifier is empty', async () => {
      await done('exempt', 'add', 'addresses', '198.51.100.0/24', '--reason', 'allow list');
      const auth = (path: string, from: string, headers: Record<string, string> = {}) =>
        call(`${brume.url}/v1/auth/nginx/${path}`, { from, headers: { 'X-Brume-Key': key, ...headers } });
      // Neither is a listed proxy, and neither says anything of X-Forwarded-For.
      for (const from of ['127.0.0.2', '127.0.0.3']) {
        const statuses: number[] = [];
        for (let n = 0; n < 6; n++) statuses.push((await auth('addresses', from)).status);
        deepEqual(statuses, [200, 200, 200, 200, 200, 403], from);
      }
      for (const namespace of ['api', 'addresses']) {
        for (const identifier of ['', '   ', undefined]) {
          const { status, code, field } = await check(namespace, identifier);
          deepEqual(
            [status, code, field],
            [400, 'bad_request', 'identifier'],
            `${namespace} "${identifier}"`,
          );
        }
      }
      for (const headers of [{}, { 'X-User': '' }, { 'X-User': '   ' }]) {
        const { status, headers: answered } = await auth('users', '127.0.0.1', headers);
        deepEqual([status, answered['x-brume-reason']], [403, 'bad_request'], JSON.stringify(headers));
      }
      const refused = await brume.run('exempt', 'add', 'api', '  ');
      equal(refused.exitCode, 1);
      ok(refused.stderr.includes('<match>'), refused.stderr);
    });
  });
});
