import { deepEqual, equal } from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { createTenant } from '../support/admin-socket.ts';
import { type AppServer, startApp } from '../support/app-server.ts';
import { type BrumeProcess, startBrume } from '../support/brume-process.ts';
import { LOGIN_SPELLINGS } from '../support/login-spellings.ts';
import { startFront } from '../support/nginx-front.ts';
import type { NginxServer } from '../support/nginx-server.ts';

const HOUR_MS = 3_600_000;

/** B43: an application behind nginx to whose handlers several spellings of a path lead. */
describe('nginx in front, each path limited', () => {
  let brume: BrumeProcess;
  let app: AppServer;
  let nginx: NginxServer;

  before(async () => {
    app = await startApp();
    brume = await startBrume();
    const limits = [{ name: 'default', algorithm: 'fixed_window', limit: 5, windowMs: HOUR_MS }];
    const key = await createTenant(brume.settings.BRUME_ADMIN_SOCKET ?? '', 'shop', {
      paths: { identifyBy: 'path', limits },
      verify: { kind: 'ip', limits },
    });
    nginx = await startFront({
      brumePort: Number(new URL(brume.url).port),
      key,
      locations: `
        location / { auth_request /_brume/paths; proxy_pass ${app.url}; }
        location /verify/ { auth_request /_brume/verify; proxy_pass ${app.url}; }`,
    });
  });

  after(async () => {
    await nginx?.stop();
    await brume?.stop();
    await app?.stop();
  });

  /** The path goes out as it is written. */
  function statusOf(path: string): Promise<number> {
    return new Promise((resolve, reject) => {
      const outgoing = request(
        { host: '127.0.0.1', port: nginx.port, method: 'POST', path, agent: false },
        (answer) => answer.resume().on('end', () => resolve(answer.statusCode ?? 0)),
      );
      outgoing.on('error', reject);
      outgoing.end();
    });
  }

  it('B43: whatever spelling of a path a client finds, it draws on the same five', async () => {
    const statuses: number[] = [];
    for (const path of LOGIN_SPELLINGS) statuses.push(await statusOf(path));
    deepEqual(statuses, [200, 200, 200, 200, 200, 429, 429, 429]);
    for (const path of [...LOGIN_SPELLINGS, '/a/../login', '/%2e/login', '/login//'])
      equal(await statusOf(path), 429, path);
    equal(await statusOf('/logout'), 200);
  });

  it('B43: fifty codes in a path share one count, where the namespace counts by address', async () => {
    const statuses: number[] = [];
    for (let code = 0; code < 50; code++) statuses.push(await statusOf(`/verify/${100_000 + code}`));
    equal(statuses.filter((status) => status === 200).length, 5);
    equal(statuses.filter((status) => status === 429).length, 45);
  });
});
