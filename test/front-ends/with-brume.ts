import { createTenant } from '../support/admin-socket.ts';
import { startApp } from '../support/app-server.ts';
import { startBrume } from '../support/brume-process.ts';
import type { FrontSetUp } from './front.ts';
import type { ProxyProcess } from './proxy-process.ts';

const limits = [{ algorithm: 'gcra', limit: 7, windowMs: 3_600_000 }];

/**
 * A front end before a Brume with a namespace `api`, by address, and one `users`, by the header given;
 * both end with `use`.
 */
export async function withBrume(
  header: string,
  start: (setUp: FrontSetUp) => Promise<ProxyProcess>,
  use: (front: ProxyProcess) => Promise<void>,
): Promise<void> {
  const app = await startApp();
  const brume = await startBrume();
  try {
    const key = await createTenant(brume.settings.BRUME_ADMIN_SOCKET ?? '', 'shop', {
      api: { kind: 'ip', limits },
      users: { identifyBy: `header:${header}`, limits },
    });
    const brumePort = Number(new URL(brume.url).port);
    const front = await start({ brumePort, key, appUrl: app.url, namespaces: ['api', 'users'] });
    try {
      await use(front);
    } finally {
      await front.stop();
    }
  } finally {
    await brume.stop();
    await app.stop();
  }
}
