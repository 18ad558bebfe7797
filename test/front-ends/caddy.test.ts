import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { call } from '../support/http-call.ts';
import { startCaddy } from './caddy-front.ts';
import { frontBehaviour } from './front-behaviour.ts';
import { withBrume } from './with-brume.ts';

frontBehaviour('Caddy', startCaddy);

test('the prepared lines of Caddy’s snippet give the cost and the identifier, whatever the client says', async () => {
  const changes = [
    ['header_up -X-Brume-Cost', 'header_up X-Brume-Cost 2'],
    ['# header_up X-User {http.auth.user.id}', 'header_up X-User {http.request.header.X-Verified}'],
  ] as const;
  await withBrume(
    'X-User',
    (setUp) => startCaddy(setUp, changes),
    async ({ url }) => {
      const forged = { 'X-User': 'forged', 'X-Brume-Cost': '1' };
      equal((await call(`${url}/api/`, { headers: forged })).headers['x-ratelimit-remaining'], '5');
      const remaining: unknown[] = [];
      for (const user of ['alice', 'alice', 'bob']) {
        const { headers } = await call(`${url}/users/`, { headers: { ...forged, 'X-Verified': user } });
        remaining.push(headers['x-ratelimit-remaining']);
      }
      deepEqual(remaining, ['5', '3', '5']);
      equal((await call(`${url}/users/`, { headers: forged })).status, 500, 'nobody is known');
    },
  );
});
