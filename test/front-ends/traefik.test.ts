import { deepEqual, equal, match } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createTenant } from '../support/admin-socket.ts';
import { type BrumeProcess, startBrume } from '../support/brume-process.ts';
import type { EndUserRequest } from './end-user.ts';
import { FORGERIES, PATH_FORGERIES } from './forgeries.ts';
import { filled } from './front.ts';
import { RULES } from './rules.ts';
import { TraefikStandIn } from './traefik-stand-in.ts';

/** Traefik is no Debian package: a client that reads the shipped file sends what it would send. */
describe('Traefik with the shipped file', () => {
  let brume: BrumeProcess;
  let key: string;

  before(async () => {
    brume = await startBrume({ BRUME_TRUSTED_PROXIES: '127.0.0.1/32' });
    key = await createTenant(brume.settings.BRUME_ADMIN_SOCKET ?? '', 'shop', RULES);
  });

  after(async () => {
    await brume?.stop();
  });

  function traefik(namespace = 'api', brumeKey = key): TraefikStandIn {
    const listen = { host: '127.0.0.1', port: Number(new URL(brume.url).port) };
    const file = filled('traefik', 'brume.yaml', { listen, namespace });
    return new TraefikStandIn(file, { BRUME_KEY: brumeKey });
  }

  async function statuses(count: number, request: EndUserRequest, namespace = 'api'): Promise<number[]> {
    const all: number[] = [];
    const proxy = traefik(namespace);
    for (let n = 0; n < count; n++)
      all.push((await proxy.pass(request, `brume-limit-${namespace}`)).answer.status);
    return all;
  }

  it('exactly the limit passes, the rest get Brume’s 429 with its headers', async () => {
    const request = { from: '203.0.113.1', path: '/api/' };
    deepEqual(await statuses(8, request), [200, 200, 200, 200, 200, 200, 200, 429]);
    const { headers, body } = (await traefik().pass(request, 'brume-limit-api')).answer;
    match(String(headers['retry-after']), /^[1-9]\d*$/);
    deepEqual([headers['x-ratelimit-limit'], headers['x-ratelimit-remaining']], ['7', '0']);
    match(String(headers.ratelimit), /^"default";r=0;t=\d+$/);
    equal(JSON.parse(body).code, 'limit');
    equal(body.includes('203.0.113.1'), false);
  });

  it('the application sees neither Brume’s key nor one that the client made up', async () => {
    for (const lines of [[], ['X-Brume-Key: forged']]) {
      const { answer, upstream } = await traefik().pass(
        { from: '203.0.113.2', path: '/', lines },
        'brume-limit-api',
      );
      deepEqual([answer.status, upstream.get('x-brume-key')], [200, undefined]);
    }
  });

  FORGERIES.forEach(({ what, lines }, index) => {
    // One that strips the key is nobody's free pass: the call without it is refused.
    const isStripped = lines.some((line) => /^connection:.*x-brume-key/i.test(line));
    it(`what a client claims counts for nothing: ${what}`, async () => {
      const expected = isStripped ? Array(8).fill(401) : [200, 200, 200, 200, 200, 200, 200, 429];
      deepEqual(await statuses(8, { from: `198.51.100.${index}`, path: '/api/', lines }), expected);
    });
  });

  it('B43: each spelling and forgery of a path draws on the same five', async () => {
    const seen: number[] = [];
    for (const path of ['/login', '/login/', '//login', '/LOGIN', '/%6Cogin', '/./login', '/login?x=1']) {
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
    equal((await traefik('api', 'brume_sk_wrong').pass(request, 'brume-limit-api')).answer.status, 401);
  });
});
