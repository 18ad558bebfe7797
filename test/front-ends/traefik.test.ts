import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { createTenant } from '../support/admin-socket.ts';
import { startBrume } from '../support/brume-process.ts';
import { filled } from './front.ts';
import { RULES } from './rules.ts';
import { type StandInSetUp, standInBehaviour } from './stand-in-behaviour.ts';
import { TraefikStandIn } from './traefik-stand-in.ts';

function traefik({ brumePort, key, namespace, timeoutMs }: StandInSetUp): TraefikStandIn {
  const listen = { host: '127.0.0.1', port: brumePort };
  const file = filled('traefik', 'brume.yaml', { listen, namespace });
  return new TraefikStandIn(file, { BRUME_KEY: key }, `brume-limit-${namespace}`, timeoutMs);
}

standInBehaviour('Traefik', {
  trustedProxies: '127.0.0.1/32',
  play: traefik,
  // It has no way to show any.
  shownOnPass: [],
  stripped: 401,
  unjudged: { degradedOpen: [200, undefined], degradedClosed: [503, 'true'], noAnswer: 500 },
});

test('behind Traefik the application sees neither Brume’s key nor one that the client made up', async (t) => {
  const brume = await startBrume({ BRUME_TRUSTED_PROXIES: '127.0.0.1/32' });
  t.after(() => brume.stop());
  const key = await createTenant(brume.settings.BRUME_ADMIN_SOCKET ?? '', 'shop', RULES);
  const brumePort = Number(new URL(brume.url).port);
  const proxy = traefik({ brumePort, key, namespace: 'api', timeoutMs: 20_000 });
  for (const lines of [[], ['X-Brume-Key: forged']]) {
    const { status, upstream } = await proxy.pass({ from: '203.0.113.2', path: '/', lines });
    deepEqual([status, upstream.get('x-brume-key')], [200, undefined]);
  }
});
