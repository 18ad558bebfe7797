import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { RULES } from '../front-ends/rules.ts';
import { createTenant } from '../support/admin-socket.ts';
import { type AppServer, startApp } from '../support/app-server.ts';
import { type BrumeProcess, startBrume } from '../support/brume-process.ts';
import { call } from '../support/http-call.ts';
import { startFront } from '../support/nginx-front.ts';
import type { NginxServer } from '../support/nginx-server.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { type RedisServer, startRedis } from '../support/redis-server.ts';

/** The whole house as it is meant to stand: nginx with the shipped files, Redis, PostgreSQL, Brume. */
describe('nginx with the shipped snippet', () => {
  let redis: RedisServer;
  let database: TestDatabase;
  let brume: BrumeProcess;
  let app: AppServer;
  let nginx: NginxServer;

  before(async () => {
    redis = await startRedis();
    database = await createTestDatabase();
    app = await startApp();
    brume = await startBrume({
      BRUME_REDIS_URL: redis.url,
      BRUME_DATABASE_URL: database.url,
      BRUME_REDIS_TIMEOUT_MS: '5000',
      BRUME_TRUSTED_PROXIES: '127.0.0.1/32',
    });
    const key = await createTenant(brume.settings.BRUME_ADMIN_SOCKET ?? '', 'shop', RULES);
    nginx = await startFront({
      brumePort: Number(new URL(brume.url).port),
      key,
      locations: `
        add_header X-Site kept always;
        location /api/ { auth_request /_brume/api; proxy_pass ${app.url}; }
        location /two/ { auth_request /_brume/two; proxy_pass ${app.url}; }
        location /none/ { auth_request /_brume/none; proxy_pass ${app.url}; }
        location /open/ { auth_request /_brume/open; proxy_pass ${app.url}; }
        location /closed/ { auth_request /_brume/closed; proxy_pass ${app.url}; }
        location /unknown/ { auth_request /_brume/nosuch; proxy_pass ${app.url}; }
        location /forbidden/ { deny all; auth_request /_brume/api; proxy_pass ${app.url}; }
        location /free/ { proxy_pass ${app.url}; }
        location /wrong-key/ { auth_request /_wrong_key; proxy_pass ${app.url}; }
        location = /_wrong_key {
          internal;
          proxy_pass http://brume/v1/auth/nginx/api;
          proxy_pass_request_body off;
          proxy_pass_request_headers off;
          proxy_set_header X-Brume-Key brume_sk_wrong;
        }`,
    });
  });

  after(async () => {
    await nginx?.stop();
    await brume?.stop();
    await app?.stop();
    await redis?.stop();
    await database?.drop();
  });

  it('exactly the limit passes, the rest get 429 with Retry-After and the rate headers', async () => {
    const answers = await Promise.all(
      Array.from({ length: 25 }, () => call(`${nginx.url}/api/x`, { from: '127.0.0.2' })),
    );
    const passed = answers.filter(({ status }) => status === 200);
    const denied = answers.filter(({ status }) => status === 429);
    deepEqual([passed.length, denied.length], [7, 18]);

    equal(app.seen.filter(({ url }) => url === '/api/x').length, 7);
    for (const { headers } of denied) {
      ok(Number(headers['retry-after']) >= 1);
      equal(headers['x-ratelimit-limit'], '7');
      equal(headers['x-ratelimit-remaining'], '0');
      ok(Number(headers['x-ratelimit-reset']) > Date.now() / 1000);
      match(String(headers.ratelimit), /^"default";r=0;t=\d+$/);
      equal(headers['ratelimit-policy'], '"default";q=7;w=3600');
      equal(headers['x-brume-ratelimit-degraded'], undefined);
    }
  });

  it('an allowed answer shows what remains, and keeps the headers of site and application', async () => {
    const { status, headers, body } = await call(`${nginx.url}/api/y`, { from: '127.0.0.3' });
    deepEqual([status, body], [200, 'app\n']);
    equal(headers['x-ratelimit-limit'], '7');
    equal(headers['x-ratelimit-remaining'], '6');
    match(String(headers.ratelimit), /^"default";r=6;t=\d+$/);
    equal(headers['ratelimit-policy'], '"default";q=7;w=3600');
    equal(headers['retry-after'], undefined);
    equal(headers['x-site'], 'kept');
  });

  it('each header comes once, and names every limit of the rule', async () => {
    const { rawHeaders, headers } = await call(`${nginx.url}/two/`, { from: '127.0.0.4' });
    const names = rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
    equal(new Set(names).size, names.length);
    equal(headers['ratelimit-policy'], '"hour";q=7;w=3600, "day";q=3;w=86400');
  });

  it('where waiting cannot help, the 429 has no Retry-After', async () => {
    const { status, headers } = await call(`${nginx.url}/none/`, { from: '127.0.0.5' });
    deepEqual([status, headers['retry-after']], [429, undefined]);
  });

  it('what a client claims of itself counts for nothing', async () => {
    const headers = {
      'X-Brume-Cost': '0',
      'X-Brume-Key': 'brume_sk_forged',
      'X-Brume-Anything': 'x',
      'X-Forwarded-For': '203.0.113.1',
      'X-Real-IP': '203.0.113.2',
      Forwarded: 'for=203.0.113.3',
      'X-API-Key': 'brume_sk_forged',
      Authorization: 'Bearer brume_sk_forged',
      'Idempotency-Key': 'again',
    };
    const statuses: number[] = [];
    for (let n = 0; n < 9; n++) {
      statuses.push((await call(`${nginx.url}/api/`, { headers, from: '127.0.0.6' })).status);
    }
    deepEqual(statuses, [200, 200, 200, 200, 200, 200, 200, 429, 429]);
  });

  it('a refusal that is not Brume’s stays 403, and consumes nothing', async () => {
    for (let n = 0; n < 8; n++) {
      equal((await call(`${nginx.url}/forbidden/`, { from: '127.0.0.7' })).status, 403);
    }
    const { headers } = await call(`${nginx.url}/api/`, { from: '127.0.0.7' });
    equal(headers['x-ratelimit-remaining'], '6');
  });

  it('a location without auth_request is not limited and shows no rate headers', async () => {
    const { status, headers } = await call(`${nginx.url}/free/`, { from: '127.0.0.8' });
    deepEqual([status, headers['x-ratelimit-limit'], headers.ratelimit], [200, undefined, undefined]);
  });

  it('the sub-request’s own location cannot be asked from outside', async () => {
    equal((await call(`${nginx.url}/_brume/api`)).status, 404);
  });

  it('faults of the configuration are 500: an unknown namespace, a wrong key', async () => {
    equal((await call(`${nginx.url}/unknown/`)).status, 500);
    equal((await call(`${nginx.url}/wrong-key/`)).status, 500);
  });

  it('Redis gone: open passes and says so, closed is 503; both recover', async () => {
    const port = Number(new URL(redis.url).port);
    await redis.stop();
    const open = await call(`${nginx.url}/open/`, { from: '127.0.0.9' });
    deepEqual([open.status, open.headers['x-brume-ratelimit-degraded']], [200, 'true']);
    equal(open.headers['x-ratelimit-remaining'], undefined);
    const closed = await call(`${nginx.url}/closed/`, { from: '127.0.0.9' });
    equal(closed.status, 503);

    redis = await startRedis({ port });
    let healed = await call(`${nginx.url}/closed/`, { from: '127.0.0.9' });
    for (const endMs = Date.now() + 30_000; healed.status !== 200 && Date.now() < endMs; ) {
      healed = await call(`${nginx.url}/closed/`, { from: '127.0.0.9' });
    }
    deepEqual([healed.status, healed.headers['x-ratelimit-remaining']], [200, '6']);
  });
});
