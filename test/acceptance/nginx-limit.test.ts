import { deepEqual, equal } from 'node:assert/strict';
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

/**
 * The whole house as it is meant to stand: nginx with the shipped files, Redis, PostgreSQL, Brume. What every
 * front end does, nginx too, is in test/front-ends.
 */
describe('nginx with the shipped snippet, in the whole house', () => {
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
        location /forbidden/ { deny all; auth_request /_brume/api; proxy_pass ${app.url}; }`,
    });
  });

  after(async () => {
    await nginx?.stop();
    await brume?.stop();
    await app?.stop();
    await redis?.stop();
    await database?.drop();
  });

  it('exactly the limit passes', async () => {
    const answers = await Promise.all(
      Array.from({ length: 25 }, () => call(`${nginx.url}/api/x`, { from: '127.0.0.2' })),
    );
    const count = (wanted: number) => answers.filter(({ status }) => status === wanted).length;
    deepEqual([count(200), count(429)], [7, 18]);
    equal(app.seen.filter(({ url }) => url === '/api/x').length, 7);
  });

  it('an allowed answer keeps the headers of the site beside those of Brume', async () => {
    const { status, headers } = await call(`${nginx.url}/api/y`, { from: '127.0.0.3' });
    deepEqual([status, headers['x-ratelimit-remaining'], headers['x-site']], [200, '6', 'kept']);
  });

  it('a refusal that is not Brume’s stays 403, and consumes nothing', async () => {
    for (let n = 0; n < 8; n++) {
      equal((await call(`${nginx.url}/forbidden/`, { from: '127.0.0.7' })).status, 403);
    }
    const { headers } = await call(`${nginx.url}/api/`, { from: '127.0.0.7' });
    equal(headers['x-ratelimit-remaining'], '6');
  });

  it('the sub-request’s own location cannot be asked from outside', async () => {
    equal((await call(`${nginx.url}/_brume/api`)).status, 404);
  });
});
