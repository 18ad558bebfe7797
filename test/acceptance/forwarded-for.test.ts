import { deepEqual, equal } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createTenant } from '../support/admin-socket.ts';
import { type AppServer, startApp } from '../support/app-server.ts';
import { type BrumeProcess, startBrume } from '../support/brume-process.ts';
import { call } from '../support/http-call.ts';
import { startFront, swap } from '../support/nginx-front.ts';
import type { NginxServer } from '../support/nginx-server.ts';

const LIMIT = 5;

/** Clients are addresses of the loopback network, of which only 127.0.0.1, nginx, is trusted. */
describe('client addresses through nginx', () => {
  let app: AppServer;
  let brume: BrumeProcess;
  /** The snippet as shipped, and as someone might change it against its advice. */
  const fronts: Record<string, NginxServer> = {};
  let key: string;

  before(async () => {
    app = await startApp();
    brume = await startBrume({ BRUME_TRUSTED_PROXIES: '127.0.0.1/32' });
    const namespaces = ['replaced', 'appended', 'apart', 'direct'].map((name) => [
      name,
      { kind: 'ip', limits: [{ algorithm: 'gcra', limit: LIMIT, windowMs: 3_600_000 }] },
    ]);
    key = await createTenant(brume.settings.BRUME_ADMIN_SOCKET ?? '', 'shop', Object.fromEntries(namespaces));
    const front = {
      brumePort: Number(new URL(brume.url).port),
      key,
      locations: ['replaced', 'appended', 'apart']
        .map((name) => `location /${name} { auth_request /_brume/${name}; proxy_pass ${app.url}; }`)
        .join('\n'),
    };
    fronts.replaced = await startFront(front);
    fronts.appended = await startFront({
      ...front,
      edit: (snippet) =>
        swap(snippet, 'X-Forwarded-For $remote_addr;', 'X-Forwarded-For $proxy_add_x_forwarded_for;'),
    });
  });

  after(async () => {
    await fronts.replaced?.stop();
    await fronts.appended?.stop();
    await brume?.stop();
    await app?.stop();
  });

  /** The statuses of ten requests of one client, each with another forged X-Forwarded-For. */
  async function statuses(name: string, from: string, forgery: (n: number) => string[]): Promise<number[]> {
    const seen: number[] = [];
    for (let n = 0; n < 10; n++) {
      const headers = { 'X-Forwarded-For': forgery(n) };
      seen.push((await call(`${fronts[name]?.url}/${name}`, { headers, from })).status);
    }
    return seen;
  }

  const FIVE_OF_TEN = [200, 200, 200, 200, 200, 429, 429, 429, 429, 429];

  for (const [name, form] of [
    ['replaced', 'the snippet as shipped'],
    ['appended', 'a snippet that appends to X-Forwarded-For'],
  ] as const) {
    it(`B39: a forged first entry gives no new bucket: ${form}`, async () => {
      deepEqual(await statuses(name, '127.0.0.2', (n) => [`203.0.113.${n}`]), FIVE_OF_TEN);
    });

    it(`B39: neither do two header lines: ${form}`, async () => {
      deepEqual(await statuses(name, '127.0.0.3', (n) => [`203.0.113.${n}`, `198.51.100.${n}`]), FIVE_OF_TEN);
    });

    it(`B39: nor a list of 200 addresses: ${form}`, async () => {
      const list = (n: number) => Array.from({ length: 200 }, (_, i) => `10.${n}.0.${i}`).join(', ');
      deepEqual(await statuses(name, '127.0.0.4', (n) => [list(n)]), FIVE_OF_TEN);
    });
  }

  it('B38: clients behind one nginx have a bucket each', async () => {
    for (const from of ['127.0.0.5', '127.0.0.6']) {
      const seen: number[] = [];
      for (let n = 0; n < LIMIT + 1; n++) {
        seen.push((await call(`${fronts.replaced?.url}/apart`, { from })).status);
      }
      deepEqual(seen, [...Array(LIMIT).fill(200), 429]);
    }
  });

  it('B38: from a peer that is no listed proxy, forwarded headers count for nothing', async () => {
    const seen: number[] = [];
    for (let n = 0; n < 7; n++) {
      const headers = {
        'X-Brume-Key': key,
        'X-Forwarded-For': `203.0.113.${n}`,
        'X-Forwarded-Proto': 'https',
        'X-Forwarded-Host': `host-${n}`,
        'X-Real-IP': `203.0.113.${n}`,
        Forwarded: `for=203.0.113.${n}`,
      };
      seen.push((await call(`${brume.url}/v1/auth/forward/direct`, { headers, from: '127.0.0.6' })).status);
    }
    deepEqual(seen, [200, 200, 200, 200, 200, 429, 429]);
    equal(
      (
        await call(`${brume.url}/v1/auth/forward/direct`, {
          headers: { 'X-Brume-Key': key },
          from: '127.0.0.7',
        })
      ).status,
      200,
    );
  });
});
