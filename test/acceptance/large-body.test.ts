import { deepEqual, equal, ok } from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { createTenant } from '../support/admin-socket.ts';
import { type AppServer, startApp } from '../support/app-server.ts';
import { type BrumeProcess, startBrume } from '../support/brume-process.ts';
import { call } from '../support/http-call.ts';
import { startFront } from '../support/nginx-front.ts';
import type { NginxServer } from '../support/nginx-server.ts';
import { type Relay, startRelay } from '../support/relay.ts';

const BODY_BYTES = 5_000_000;

describe('a large POST through nginx', () => {
  let brume: BrumeProcess;
  let app: AppServer;
  let relay: Relay;
  let nginx: NginxServer;

  before(async () => {
    app = await startApp();
    brume = await startBrume({ BRUME_TRUSTED_PROXIES: '127.0.0.1/32' });
    relay = await startRelay(Number(new URL(brume.url).port));
    const key = await createTenant(brume.settings.BRUME_ADMIN_SOCKET ?? '', 'shop', {
      upload: {
        kind: 'ip',
        limits: [{ algorithm: 'gcra', limit: 2, windowMs: 3_600_000 }],
      },
    });
    nginx = await startFront({
      brumePort: relay.port,
      key,
      locations: `
        location /buffered/ { auth_request /_brume/upload; proxy_pass ${app.url}; }
        location /streamed/ {
          auth_request /_brume/upload;
          proxy_request_buffering off;
          proxy_http_version 1.1;
          proxy_pass ${app.url};
        }`,
    });
  });

  after(async () => {
    await nginx?.stop();
    await relay?.stop();
    await brume?.stop();
    await app?.stop();
  });

  for (const [path, from] of [
    ['/buffered/', '127.0.0.2'],
    ['/streamed/', '127.0.0.3'],
  ] as const) {
    it(`arrives whole at the application, and none of it at Brume: ${path}`, async () => {
      const body = randomBytes(BODY_BYTES);
      const bytesBefore = relay.bytesSent();
      const { status } = await call(`${nginx.url}${path}`, { method: 'POST', body, from });

      equal(status, 200);
      const { method, bodyBytes, bodySha256 } = app.seen.at(-1) ?? {};
      const sha256 = createHash('sha256').update(body).digest('hex');
      deepEqual([method, bodyBytes, bodySha256], ['POST', BODY_BYTES, sha256]);
      ok(relay.bytesSent() - bytesBefore < 4096, 'the check is a few hundred bytes');
    });
  }

  it('is judged before its body is read: the 429 comes while none of it was sent', async () => {
    for (let n = 0; n < 2; n++) await call(`${nginx.url}/buffered/`, { from: '127.0.0.4' });

    const socket = connect({ port: nginx.port, host: '127.0.0.1', localAddress: '127.0.0.4' });
    socket.write(`POST /buffered/ HTTP/1.1\r\nHost: x\r\nContent-Length: ${BODY_BYTES}\r\n\r\n`);
    const [answer]: Buffer[] = await once(socket, 'data');
    socket.destroy();
    ok(answer?.toString().startsWith('HTTP/1.1 429 '));
  });
});
