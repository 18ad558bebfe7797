import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'yaml';
import { ENVOY_ADDRESS, EnvoyStandIn } from './envoy-stand-in.ts';
import { filled } from './front.ts';
import { type StandInSetUp, standInBehaviour } from './stand-in-behaviour.ts';

const RATE_HEADERS = [
  'ratelimit',
  'ratelimit-policy',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
];

function fileOf({ brumePort, key, namespace }: StandInSetUp, whenUnjudged: 'open' | 'closed'): string {
  const listen = { host: '127.0.0.1', port: brumePort };
  return filled('envoy', 'brume.yaml', { listen, namespace, whenUnjudged }, ['brume_sk_REPLACE_ME', key]);
}

for (const whenUnjudged of ['open', 'closed'] as const) {
  const isOpen = whenUnjudged === 'open';
  standInBehaviour(isOpen ? 'Envoy' : 'Envoy that fails closed', {
    trustedProxies: `127.0.0.1/32,${ENVOY_ADDRESS}/32`,
    play: (setUp) => new EnvoyStandIn(fileOf(setUp, whenUnjudged), setUp.timeoutMs),
    shownOnPass: RATE_HEADERS,
    hiddenOnDenial: ['x-request-id'],
    unjudged: {
      degradedOpen: [200, 'true'],
      // Brume's 503 is no answer to Envoy.
      degradedClosed: [isOpen ? 200 : 503, undefined],
      noAnswer: isOpen ? 200 : 503,
    },
  });
}

test('Envoy waits for Brume for half a second, as the file says', () => {
  const setUp = { brumePort: 8600, key: 'brume_sk_x', namespace: 'api', timeoutMs: undefined };
  const { http_filters } = parse(fileOf(setUp, 'open'));
  equal(http_filters[0].typed_config.http_service.server_uri.timeout, '0.5s');
});
