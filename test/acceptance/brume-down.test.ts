import { deepEqual, equal } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createTenant } from '../support/admin-socket.ts';
import { type AppServer, startApp } from '../support/app-server.ts';
import { startBrume } from '../support/brume-process.ts';
import { call } from '../support/http-call.ts';
import { startFront, swap } from '../support/nginx-front.ts';

/** The line that the snippet says to delete for failing closed. */
const OPEN_LINE = /^.*return 204;.*\n/gm;

describe('Brume stopped behind nginx', () => {
  let app: AppServer;

  before(async () => {
    app = await startApp();
  });

  after(async () => {
    await app?.stop();
  });

  async function answerWithBrumeDown(edit: (snippet: string) => string) {
    const brume = await startBrume();
    const key = await createTenant(brume.settings.BRUME_ADMIN_SOCKET ?? '', 'shop', {
      api: { limits: [{ algorithm: 'gcra', limit: 5, windowMs: 3_600_000 }] },
    });
    const nginx = await startFront({
      brumePort: Number(new URL(brume.url).port),
      key,
      patient: false,
      edit,
      locations: `location / { auth_request /_brume/api; proxy_pass ${app.url}; }`,
    });
    try {
      await brume.stop();
      return await call(nginx.url);
    } finally {
      await nginx.stop();
    }
  }

  it('the snippet as shipped lets requests pass, and says that nobody judged them', async () => {
    const { status, headers } = await answerWithBrumeDown((snippet) => snippet);
    deepEqual([status, headers['x-brume-ratelimit-degraded']], [200, 'true']);
    deepEqual([headers['x-ratelimit-limit'], headers.ratelimit], [undefined, undefined]);
  });

  it('without its marked line it answers 503, and the application sees nothing', async () => {
    const seen = app.seen.length;
    const { status, headers } = await answerWithBrumeDown((snippet) => swap(snippet, OPEN_LINE, ''));
    deepEqual([status, headers['x-brume-ratelimit-degraded']], [503, 'true']);
    equal(app.seen.length, seen);
  });
});
