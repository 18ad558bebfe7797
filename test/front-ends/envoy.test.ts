import { deepEqual, equal, match } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createTenant } from '../support/admin-socket.ts';
import { type BrumeProcess, startBrume } from '../support/brume-process.ts';
import type { EndUserRequest } from './end-user.ts';
import { ENVOY_ADDRESS, EnvoyStandIn } from './envoy-stand-in.ts';
import { FORGERIES, PATH_FORGERIES } from './forgeries.ts';
import { filled } from './front.ts';
import { RULES } from './rules.ts';

/** Envoy is no Debian package: a client that reads the shipped file sends what its ext_authz would send. */
describe('Envoy with the shipped file', () => {
  let brume: BrumeProcess;
  let key: string;

  before(async () => {
    brume = await startBrume({ BRUME_TRUSTED_PROXIES: `127.0.0.1/32,${ENVOY_ADDRESS}/32` });
    key = await createTenant(brume.settings.BRUME_ADMIN_SOCKET ?? '', 'shop', RULES);
  });

  after(async () => {
    await brume?.stop();
  });

  function envoy(namespace = 'api', brumeKey = key): EnvoyStandIn {
    const listen = { host: '127.0.0.1', port: Number(new URL(brume.url).port) };
    const file = filled('envoy', 'brume.yaml', { listen, namespace }, ['brume_sk_REPLACE_ME', brumeKey]);
    return new EnvoyStandIn(file);
  }

  async function statuses(count: number, request: EndUserRequest, namespace?: string): Promise<number[]> {
    const all: number[] = [];
    const proxy = envoy(namespace);
    for (let n = 0; n < count; n++) all.push((await proxy.pass(request)).status);
    return all;
  }

  const EIGHT = [200, 200, 200, 200, 200, 200, 200, 429];

  it('exactly the limit passes, and both kinds of answers show the rate headers', async () => {
    const request = { from: '203.0.113.1', path: '/api/x?q=1' };
    const first = await envoy().pass(request);
    equal(first.isPassed, true);
    deepEqual(Object.keys(first.shown).sort(), [
      'ratelimit',
      'ratelimit-policy',
      'x-ratelimit-limit',
      'x-ratelimit-remaining',
      'x-ratelimit-reset',
    ]);
    deepEqual(await statuses(7, request), EIGHT.slice(1));
    const denied = await envoy().pass(request);
    deepEqual([denied.isPassed, denied.status], [false, 429]);
    match(denied.shown['retry-after'] ?? '', /^[1-9]\d*$/);
    match(denied.shown.ratelimit ?? '', /^"default";r=0;t=\d+$/);
    match(denied.shown['content-type'] ?? '', /^application\/problem\+json/);
    equal(JSON.parse(denied.body).code, 'limit');
    equal('x-request-id' in denied.shown, false);
  });

  it('any method is judged, and a body is never part of the call', async () => {
    for (const [index, method] of ['HEAD', 'OPTIONS', 'POST', 'PATCH'].entries()) {
      const lines = ['Content-Length: 5000000', 'Expect: 100-continue'];
      deepEqual(await statuses(8, { from: `192.0.2.${index}`, path: '/', method, lines }), EIGHT, method);
    }
  });

  FORGERIES.forEach(({ what, lines }, index) => {
    it(`what a client claims counts for nothing: ${what}`, async () => {
      deepEqual(await statuses(8, { from: `198.51.100.${index}`, path: '/api/', lines }), EIGHT);
    });
  });

  it('B43: each spelling and forgery of a path draws on the same five', async () => {
    const seen: number[] = [];
    for (const path of ['/login', '/login/', '//login', '/LOGIN', '/%6Cogin', '/login?x=1', '/login;v=1']) {
      seen.push(...(await statuses(1, { from: '203.0.113.3', path }, 'paths')));
    }
    deepEqual(seen, [200, 200, 200, 200, 200, 429, 429]);
    for (const lines of PATH_FORGERIES) {
      deepEqual(await statuses(1, { from: '203.0.113.3', path: '/login', lines }, 'paths'), [429]);
    }
  });

  it('faults of the configuration let nothing pass', async () => {
    const request = { from: '203.0.113.4', path: '/' };
    deepEqual(await statuses(1, request, 'nosuch'), [404]);
    equal((await envoy('api', 'brume_sk_wrong').pass(request)).status, 401);
  });
});
