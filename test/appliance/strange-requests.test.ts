import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openListeners } from '../../src/appliance/listeners.ts';
import { buildState } from '../../src/appliance/state.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { heapUsed } from '../support/heap-used.ts';
import { parsedMetrics } from '../support/parsed-metrics.ts';
import { pipelined } from '../support/pipelined.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { recordedLog } from './fakes.ts';

const MB = 1_048_576;
/** Unknown keys are remembered, 10,000 at most. */
const FIRST = 11_000;
const DISTINCT = 20_000;
const KNOWN_METHODS = ['GET', 'PUT', 'DELETE', 'POST', 'PATCH', 'OPTIONS', 'PROPFIND', 'TRACE'];

async function openPlanes(t: TestContext) {
  const directory = temporaryDirectory(t);
  const { log, lines } = recordedLog();
  const config = loadConfig({
    env: {
      BRUME_STATE_DIR: directory,
      BRUME_ADMIN_SOCKET: join(directory, 'admin.sock'),
      BRUME_LISTEN: '127.0.0.1:0',
      BRUME_MANAGEMENT_LISTEN: '127.0.0.1:0',
      BRUME_ADDRESS_RATE: 'off',
      // However busy the machine is.
      BRUME_KEY_LOOKUP_TIMEOUT_MS: '30000',
      BRUME_METRICS_CHRONOSDB_NAMES: 'true',
    },
    defaultFile: join(directory, 'absent.conf'),
  });
  const state = await buildState(config, log);
  state.readiness.startServing();
  t.after(() => state.close());
  const listeners = await openListeners(config, state);
  t.after(() => listeners.close());
  const ports = listeners.servers.flatMap(({ server }) => {
    const address = server.address();
    return address !== null && typeof address === 'object' ? [address.port] : [];
  });
  assert.equal(ports.length, 2, 'the data plane and the management plane');
  const [data = 0, management = 0] = ports;
  return { state, lines, data, management };
}

const request = (method: string, path: string, headers: string) =>
  `${method} ${path} HTTP/1.1\r\n${headers}Content-Length: 0\r\n\r\n`;

function* withUnknownKeys(from: number, to: number): Iterable<string> {
  for (let n = from; n < to; n++) yield request('POST', '/v1/limit', `Host: b\r\nX-API-Key: ${keyOf(n)}\r\n`);
}

/** Path, host and key are new with each; a third goes to no route, the others to two that read a key. */
function* toDataPlane(from: number, to: number): Iterable<string> {
  for (let n = from; n < to; n++) {
    const host = `Host: host-${n}.example\r\nUser-Agent: agent ${n}\r\n`;
    const headers = `${host}X-API-Key: ${keyOf(n)}\r\nX-Brume-Key: ${keyOf(n)}\r\n`;
    if (n % 3 === 0) yield request(knownMethod(n), `/path-${n}/%2e%2e/x?q=${n}`, headers);
    else if (n % 3 === 1) yield request('GET', `/v1/auth/nginx/ns-${n}/rest/${n}`, headers);
    else yield request('POST', `/v1/limit?n=${n}`, headers);
  }
}

function* toManagementPlane(from: number, to: number): Iterable<string> {
  for (let n = from; n < to; n++) {
    const host = `Host: host-${n}.example\r\nOrigin: https://site-${n}.example\r\n`;
    const token = `brume_mt_${String(n).padStart(43, 'x')}`;
    const headers = `${host}Authorization: Bearer ${token}\r\nIf-Match: "${n}"\r\n`;
    if (n % 3 === 0) yield request(knownMethod(n), `/path-${n}/%2e%2e/x?q=${n}`, headers);
    else if (n % 3 === 1) yield request('GET', `/docs/file-${n}.js`, headers);
    else yield request('GET', `/v1/projects/p${n}/namespaces/n${n}`, headers);
  }
}

function keyOf(n: number): string {
  return `brume_sk_${String(n).padStart(43, 'x')}`;
}

function knownMethod(n: number): string {
  return KNOWN_METHODS[n % KNOWN_METHODS.length] ?? 'GET';
}

/** Methods that nobody knows end their connection, so that each needs its own. */
async function unknownMethods(port: number, from: number, to: number): Promise<void> {
  let next = from;
  const worker = async () => {
    for (let n = next++; n < to; n = next++) {
      const socket = connect({
        port,
        host: '127.0.0.1',
        // Ports of one address run out.
        localAddress: `127.0.1.${1 + (n % 250)}`,
      });
      socket.on('error', () => undefined);
      socket.resume();
      socket.end(request(`METHOD${n}`, '/', 'Host: b\r\n'));
      await new Promise((resolve) => socket.once('close', resolve));
    }
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}

test('20,000 distinct paths, keys, hosts and methods leave the memory of both planes as it is and add fewer than 100 series', async (t) => {
  const { state, lines, data, management } = await openPlanes(t);
  const seriesCount = async () => {
    const families = parsedMetrics(await state.metrics.registry.text('prometheus'), 'prometheus');
    return [...families.values()].reduce((sum, { samples }) => sum + samples.size, 0);
  };
  const ask = async (from: number, to: number) => {
    const answers = await Promise.all([
      pipelined(data, toDataPlane(from, to)),
      pipelined(management, toManagementPlane(from, to)),
    ]);
    const half = (from + to) / 2;
    await Promise.all([unknownMethods(data, from, half), unknownMethods(management, half, to)]);
    for (const statuses of answers) {
      const sent = [...statuses.values()].reduce((sum, count) => sum + count, 0);
      assert.equal(sent, to - from);
      assert.ok(
        [...statuses.keys()].every((status) => status < 500),
        String([...statuses]),
      );
    }
    // What the log has said is kept by the test alone.
    lines.length = 0;
  };

  // Each kind once, and then as many keys as the memory of unknown ones holds.
  await ask(0, 500);
  const series = await seriesCount();
  await pipelined(data, withUnknownKeys(500, FIRST));
  const before = await heapUsed();
  await ask(FIRST, FIRST + DISTINCT);
  const grown = (await heapUsed()) - before;
  const added = (await seriesCount()) - series;
  t.diagnostic(`${Math.round(grown / 1024)} KiB more, ${added} series added`);
  assert.ok(grown < 4 * MB, `${grown} bytes more`);
  assert.ok(added < 100, `${added} series were added`);
});
