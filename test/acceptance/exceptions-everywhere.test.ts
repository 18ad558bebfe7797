import { deepEqual, equal, match } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { askAdmin, createTenant } from '../support/admin-socket.ts';
import { type AppServer, startApp } from '../support/app-server.ts';
import { type BrumeProcess, startBrume } from '../support/brume-process.ts';
import { call } from '../support/http-call.ts';
import { limitCall, type SeenVerdict } from '../support/limit-call.ts';
import { startFront } from '../support/nginx-front.ts';
import type { NginxServer } from '../support/nginx-server.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { type RedisServer, startRedis } from '../support/redis-server.ts';

const ROUNDS = 25;
const LIMITS = [{ algorithm: 'fixed_window', limit: 5, windowMs: 366 * 24 * 3_600_000 }];
const NAMESPACES = '/v1/projects/shop/namespaces';

/** Two nodes on one Redis and one PostgreSQL, and nginx with the shipped files before the second. */
describe('blocks, exemptions and overrides on every node and behind nginx', () => {
  let redis: RedisServer;
  let database: TestDatabase;
  let app: AppServer;
  let nginx: NginxServer;
  let writer: BrumeProcess;
  let reader: BrumeProcess;
  let key: string;

  before(async () => {
    redis = await startRedis();
    database = await createTestDatabase();
    app = await startApp();
    const settings = {
      BRUME_REDIS_URL: redis.url,
      BRUME_DATABASE_URL: database.url,
      // Two cores serve all of this: a slow answer must not be taken for a store that is away.
      BRUME_REDIS_TIMEOUT_MS: '5000',
      BRUME_KEY_LOOKUP_TIMEOUT_MS: '10000',
      BRUME_TRUSTED_PROXIES: '127.0.0.1/32',
    };
    // The reader hears of no change, and looks seldom: what it obeys at once it was told by the counters.
    const deaf = {
      BRUME_DATABASE_LISTEN_URL: 'postgres://nobody@127.0.0.1:1/nothing',
      BRUME_PROPAGATION_MS: '5000',
    };
    [writer, reader] = await Promise.all([startBrume(settings), startBrume({ ...settings, ...deaf })]);
    key = await createTenant(writer.settings.BRUME_ADMIN_SOCKET ?? '', 'shop', {
      api: { limits: LIMITS },
      addresses: { kind: 'ip', limits: LIMITS },
      closed: { limits: LIMITS, onStoreFailure: 'closed' },
    });
    await until(reader, ({ status }) => status === 200, 'warm-up', 'closed');
    nginx = await startFront({
      brumePort: Number(new URL(reader.url).port),
      key,
      locations: `location / { auth_request /_brume/addresses; proxy_pass ${app.url}; }`,
    });
  });

  after(async () => {
    await nginx?.stop();
    await Promise.all([writer?.stop(), reader?.stop()]);
    await app?.stop();
    await redis?.stop();
    await database?.drop();
  });

  const check = (node: BrumeProcess, identifier: string, namespace = 'api') =>
    limitCall(node, key, { namespace, identifier });

  async function until(
    node: BrumeProcess,
    isSo: (verdict: SeenVerdict) => boolean,
    identifier: string,
    namespace = 'api',
  ): Promise<void> {
    for (const endMs = Date.now() + 30_000; Date.now() < endMs; ) {
      if (isSo(await check(node, identifier, namespace))) return;
    }
    throw new Error(`${identifier} in ${namespace} did not become so in 30 s`);
  }

  const write = (method: 'POST' | 'DELETE', path: string, body?: object) =>
    askAdmin(writer.settings.BRUME_ADMIN_SOCKET ?? '', method, `${NAMESPACES}/${path}`, body);

  it(`what one node was told of an identifier, the other obeys at its very next check, ${ROUNDS} times`, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const match = `user-${round}`;
      equal((await check(reader, match)).remaining, 4);

      const block = Object(await write('POST', 'api/blocks', { match }));
      deepEqual(reasonOf(await check(reader, match)), [false, 'blocked', false], `blocked, ${round}`);
      await write('DELETE', `api/blocks/${block.id}`);
      equal((await check(reader, match)).remaining, 3, `lifted, ${round}`);

      const exemption = Object(await write('POST', 'api/exemptions', { match }));
      deepEqual(reasonOf(await check(reader, match)), [true, 'exempt', false], `exempt, ${round}`);
      await write('DELETE', `api/exemptions/${exemption.id}`);

      await write('POST', 'api/overrides', { match, limits: [{ limit: 100 }] });
      const overridden = await check(reader, match);
      deepEqual([overridden.limit, overridden.remaining], [100, 97], `override, ${round}`);
    }
  });

  it('an import is obeyed by the other node at once where it names identifiers', async () => {
    const entries = Array.from({ length: 50 }, (_, n) => ({ match: `imported-${n}` }));
    await write('POST', 'api/blocks/import', { entries });
    const verdicts = await Promise.all(entries.map(({ match }) => check(reader, match)));
    deepEqual(new Set(verdicts.map(({ reason }) => reason)), new Set(['blocked']));
  });

  it('patterns and networks reach the other node in time', async () => {
    await write('POST', 'api/blocks', { match: 'bot-*' });
    await write('POST', 'addresses/blocks', { match: '2001:db8::/32' });
    await until(reader, ({ reason }) => reason === 'blocked', 'bot-1');
    await until(reader, ({ reason }) => reason === 'blocked', '2001:db8:5::1', 'addresses');
  });

  it('one that ends is in force until its last moment, and then on no node', async () => {
    const expiresAt = new Date(Date.now() + 3000).toISOString();
    await write('POST', 'api/blocks', { match: 'for-a-while', expiresAt });
    const { reason, retryAfter } = await check(reader, 'for-a-while');
    equal(reason, 'blocked');
    equal(typeof retryAfter === 'number' && retryAfter >= 1 && retryAfter <= 4, true, String(retryAfter));
    await until(reader, ({ success }) => success === true, 'for-a-while');
    equal(Date.now() >= Date.parse(expiresAt), true);
    equal((await check(writer, 'for-a-while')).success, true);
  });

  it('behind nginx a blocked address gets 429 and one that is exempt passes', async () => {
    const from = '127.0.0.9';
    await write('POST', 'addresses/blocks', { match: from });
    const direct = await call(`${reader.url}/v1/auth/nginx/addresses`, {
      from,
      headers: { 'X-Brume-Key': key },
    });
    deepEqual([direct.status, direct.headers['x-brume-reason']], [403, 'blocked']);
    equal(direct.headers['retry-after'], undefined, 'waiting does not help');
    const blocked = await call(`${nginx.url}/`, { from });
    deepEqual([blocked.status, blocked.headers['retry-after']], [429, undefined]);

    await write('POST', 'addresses/exemptions', { match: '127.0.0.10' });
    for (let n = 0; n < 7; n++) equal((await call(`${nginx.url}/`, { from: '127.0.0.10' })).status, 200);
  });

  it('while Redis is away blocks and exemptions hold, new ones too, and are told by the command line', async () => {
    await write('POST', 'api/blocks', { match: 'known' });
    await until(reader, ({ reason }) => reason === 'blocked', 'known');
    await redis.stop();
    equal((await check(writer, 'known')).reason, 'blocked');
    equal((await check(reader, 'known')).reason, 'blocked');
    equal((await check(writer, 'anyone')).degraded, true);

    const added = await writer.run('block', 'add', 'api', 'new', '--for', '1h');
    equal(added.exitCode, 0, added.stderr);
    match(added.stdout, /^new is blocked in api of shop until .*\(in (59 min|1 h)/);
    equal((await check(writer, 'new')).reason, 'blocked');
    await until(reader, ({ reason }) => reason === 'blocked', 'new');

    await writer.run('exempt', 'add', 'closed', 'vip');
    equal((await check(writer, 'anyone', 'closed')).reason, 'store_unavailable');
    deepEqual(reasonOf(await check(writer, 'vip', 'closed')).slice(0, 2), [true, 'exempt']);
  });
});

function reasonOf({ success, reason, degraded }: SeenVerdict) {
  return [success, reason, degraded];
}
