/**
 * For how long a large file of rules keeps a node from anything else: the calls of `brume rules`, over the
 * admin socket, on the embedded stores or on a PostgreSQL database that is empty. Prints one table, of the
 * CPU time of the thread that serves.
 *
 *   node scripts/measure-rules.ts [--blocks 120000] [--database postgres://…]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { listenUnix } from '../src/appliance/listen.ts';
import { PlaneServer } from '../src/appliance/plane-server.ts';
import { buildState } from '../src/appliance/state.ts';
import { loadConfig } from '../src/config/load-config.ts';
import { buildAdminPlane } from '../src/planes/admin/admin-plane.ts';
import { createLogger } from '../src/telemetry/log.ts';
import { type MeasuredRow, measuredTurns } from './measured-turns.ts';

const { values } = parseArgs({
  options: { blocks: { type: 'string', default: '120000' }, database: { type: 'string' } },
});
const BLOCKS = Number(values.blocks);

/** A client of its own thread: what it makes and reads is no part of what is measured. */
const CLIENT = `
const { parentPort, workerData } = require('node:worker_threads');
const { request } = require('node:http');
const blocks = Array.from({ length: workerData.blocks }, (_, at) =>
  ({ match: 'user-' + at + '@example.com', reason: 'list of 2026-11-29' }));
const limits = [{ name: 'minute', algorithm: 'gcra', limit: 5, window: '1m' }];
const rules = JSON.stringify({ namespaces: { login: { limits, blocks } } });
parentPort.on('message', ({ method, path, body = method === 'PUT' ? rules : undefined }) => {
  const headers = body === undefined ? {} : { 'content-type': 'application/json' };
  const call = request({ socketPath: workerData.socketPath, method, path, headers, agent: false }, (answer) => {
    let size = 0;
    let text = '';
    answer.on('data', (chunk) => { size += chunk.length; if (size < 2000) text += chunk; });
    answer.on('end', () => parentPort.postMessage({ status: answer.statusCode, sent: body?.length, size, text }));
  });
  call.end(body);
});
`;

const directory = mkdtempSync(join(tmpdir(), 'brume-rules-'));
const socketPath = join(directory, 'admin.sock');
const env = {
  BRUME_STATE_DIR: directory,
  ...(values.database !== undefined && { BRUME_DATABASE_URL: values.database }),
};
const config = loadConfig({ env, defaultFile: join(directory, 'absent.conf') });
const log = createLogger({ level: 'error', stream: process.stderr });
const state = await buildState(config, log);
state.readiness.startServing();
const plane = await buildAdminPlane({
  ...state,
  version: '0',
  readiness: () => state.readiness.report(),
  bodyMaxBytes: config.bodyMaxBytes,
});
const server = new PlaneServer(plane, config);
await listenUnix(
  server.server,
  { path: socketPath, group: 'brume-none' },
  { variable: 'BRUME_ADMIN_SOCKET', log },
);
const client = new Worker(CLIENT, { eval: true, workerData: { blocks: BLOCKS, socketPath } });

interface Answer {
  readonly status: number;
  readonly sent: number | undefined;
  readonly size: number;
  readonly text: string;
}

async function ask(method: string, path: string, body?: string): Promise<Answer> {
  const answered = new Promise<Answer>((resolve) => client.once('message', resolve));
  client.postMessage({ method, path, body });
  const answer = await answered;
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  return answer;
}

const rows: Record<string, MeasuredRow> = {};
async function measured(step: string, method: string, path: string): Promise<void> {
  let bytes = {};
  const row = await measuredTurns(async () => {
    const { sent = 0, size } = await ask(method, path);
    const inMb = (length: number) => `${(length / 1e6).toFixed(1)} MB`;
    bytes = { asked: inMb(sent), answered: inMb(size) };
  });
  rows[step] = { ...row, ...bytes };
}

try {
  await ask('POST', '/v1/projects', JSON.stringify({ name: 'shop' }));
  await measured('diff, all of it new', 'PUT', '/v1/projects/shop/rules?dryRun=true');
  await measured('apply', 'PUT', '/v1/projects/shop/rules');
  await measured('diff, nothing new', 'PUT', '/v1/projects/shop/rules?dryRun=true&prune=true');
  await measured('export', 'GET', '/v1/projects/shop/rules');
  console.table(rows);
} finally {
  await client.terminate();
  server.closeAll();
  await plane.close();
  await state.close();
  rmSync(directory, { recursive: true, force: true });
}
