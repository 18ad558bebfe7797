import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMetrics } from '../../../src/appliance/metrics.ts';
import { systemClock } from '../../../src/limiter/clock.ts';
import { KeyCache } from '../../../src/stores/cache/key-cache.ts';
import { systemTimers } from '../../../src/stores/cache/timers.ts';
import { rawConnection } from '../../appliance/fakes.ts';
import { heapUsed } from '../../support/heap-used.ts';
import { parsedMetrics } from '../../support/parsed-metrics.ts';
import { pipelined } from '../../support/pipelined.ts';
import { startPlane, window } from './plane-harness.ts';

const MB = 1_048_576;
/** Requests, unlike each other in everything; a multiple of 65,536 / 256 keeps a round's addresses the next's. */
const ROUND = 20_480;

/** A cache in front of a store that has no key, and says how it was asked. */
function emptyKeys() {
  const asked = { count: 0, atOnce: 0, mostAtOnce: 0 };
  const keys = new KeyCache({
    directory: {
      async find() {
        asked.count += 1;
        asked.mostAtOnce = Math.max(asked.mostAtOnce, ++asked.atOnce);
        await Promise.resolve();
        asked.atOnce -= 1;
        return undefined;
      },
    },
    clock: systemClock,
    timers: systemTimers,
    keyCacheMs: 60_000,
    unknownKeyCacheMs: 60_000,
    keyLookupTimeoutMs: 60_000,
  });
  return { keys, asked };
}

function* requestsWith(count: number, headersOf: (n: number) => string): Iterable<string> {
  for (let n = 0; n < count; n++) yield `POST /v1/limit HTTP/1.1\r\nHost: b\r\n${headersOf(n)}\r\n\r\n`;
}

test('100,000 keys that nobody knows leave memory as it is, and are looked up few at a time', async () => {
  const { keys, asked } = emptyKeys();
  const flood = async (from: number, to: number) => {
    for (let n = from; n < to; n += 1000) {
      const some = Array.from({ length: 1000 }, (_, index) => `${n + index}`.padStart(64, 'f'));
      await Promise.all(some.map((sha256) => keys.find(sha256)));
    }
  };
  await flood(0, 20_000);
  const before = await heapUsed();
  await flood(20_000, 120_000);
  const grown = (await heapUsed()) - before;
  assert.ok(grown < 4 * MB, `${grown} bytes more`);
  assert.equal(keys.stats().unknown, 10_000);
  assert.ok(asked.mostAtOnce <= 8, `${asked.mostAtOnce} at a time`);
  const count = asked.count;
  await flood(115_000, 120_000);
  assert.equal(asked.count, count, 'the latest are known to be unknown');
});

test('a flood of unknown keys from one address costs the store no more lookups than the filter lets pass', async (t) => {
  const { keys, asked } = emptyKeys();
  const plane = await startPlane(t, {
    keys,
    namespaces: { api: window(10) },
    config: { trustedProxies: [], addressRate: 100, addressBurst: 1000 },
  });
  const answers = await pipelined(
    plane.port,
    requestsWith(10_000, (n) => `X-API-Key: brume_sk_${n}`),
  );
  assert.deepEqual(
    [...answers],
    [
      [401, 1000],
      [429, 9000],
    ],
  );
  assert.equal(asked.count, 1000);
  plane.nowMs += 1000;
  await pipelined(
    plane.port,
    requestsWith(500, (n) => `X-API-Key: brume_pk_${n}`),
  );
  assert.equal(asked.count, 1100);
});

test('B44: 20,000 distinct paths, keys, hosts and addresses, and distinct methods, leave memory and metrics as they are', async (t) => {
  const { keys } = emptyKeys();
  const config = { redisUrl: null, metricsChronosdbNames: true, topIdentifiers: true, connectionsMax: 10 };
  const metrics = createMetrics(config, systemClock);
  t.after(() => metrics.close());
  const plane = await startPlane(t, {
    keys,
    metrics,
    namespaces: { api: window(10) },
    config: { addressRate: 100 },
  });
  const methods = [
    'GET',
    'POST',
    'PUT',
    'DELETE',
    'OPTIONS',
    'PATCH',
    'PROPFIND',
    'MKCOL',
    'PURGE',
    'REPORT',
  ];
  const ballast = 'x'.repeat(500);
  function* strange(from: number, to: number): Iterable<string> {
    for (let n = from; n < to; n++) {
      const path = ['/v1/limit?q=', '/nowhere/', '/v1/auth/nginx/api/', '/v1/leases/'][n % 4];
      yield [
        `${methods[n % methods.length]} ${path}${n}${ballast} HTTP/1.1`,
        `Host: ${n}.${ballast}.example`,
        `${n % 4 === 2 ? 'X-Brume-Key' : 'X-API-Key'}: key-${n}-${ballast}`,
        `X-Forwarded-For: 10.0.0.1, 2001:db8:${((n % ROUND) >> 8).toString(16)}:${(n & 0xff).toString(16)}::1`,
        `Origin: https://${n}.example`,
        `X-Request-Id: id-${n}`,
        `User-Agent: agent ${n} ${ballast}`,
        `X-${n}: ${ballast}`,
        '\r\n',
      ].join('\r\n');
    }
  }
  assert.equal((await plane.post('/v1/limit', {})).status, 401);
  const series = await seriesOf(metrics.registry);
  // Addresses are remembered, within a bound that the second round, which has the same, shows to be kept.
  await pipelined(plane.port, strange(0, ROUND));
  const before = await heapUsed();
  const answers = await pipelined(plane.port, strange(ROUND, 2 * ROUND));
  const grown = (await heapUsed()) - before;
  assert.equal(
    [...answers.values()].reduce((sum, count) => sum + count, 0),
    ROUND,
  );
  for (const status of answers.keys()) assert.ok([204, 401, 403, 404, 405].includes(status), `${status}`);
  // One of the ballasts kept would be 10 MB, and 50 bytes of each request 1 MB.
  assert.ok(grown < MB, `${grown} bytes more`);
  for (let n = 0; n < 50; n++) {
    const line = await rawConnection(t, { port: plane.port });
    line.send(`METHOD${n} /v1/limit HTTP/1.1\r\nHost: b\r\n\r\n`);
    await line.closed;
    assert.match(line.received, /^HTTP\/1\.1 400 /);
  }
  const text = await metrics.registry.text('prometheus');
  assert.ok(text.length < MB, `${text.length} bytes of metrics`);
  assert.ok((await seriesOf(metrics.registry)) - series < 100);
  assert.ok(!text.includes(ballast));
});

async function seriesOf(registry: { text(format: 'prometheus'): Promise<string> }): Promise<number> {
  const families = parsedMetrics(await registry.text('prometheus'), 'prometheus');
  return [...families.values()].reduce((sum, { samples }) => sum + samples.size, 0);
}
