import { request } from 'node:http';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { listenUnix } from '../../../src/appliance/listen.ts';
import { PlaneServer } from '../../../src/appliance/plane-server.ts';
import { buildState, type State } from '../../../src/appliance/state.ts';
import { loadConfig } from '../../../src/config/load-config.ts';
import { type AdminPlaneDeps, buildAdminPlane } from '../../../src/planes/admin/admin-plane.ts';
import { type LogLine, recordedLog } from '../../appliance/fakes.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** The body's JSON; undefined if there is none. */
  readonly json: Record<string, unknown> | undefined;
}

interface Call {
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is; wins over `body`. */
  readonly rawBody?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface AdminHarness {
  readonly state: State;
  readonly lines: LogLine[];
  readonly socketPath: string;
  call(method: string, path: string, options?: Call): Promise<Answer>;
  /** GET of what is no JSON. */
  text(path: string, headers?: Call['headers']): Promise<Omit<Answer, 'json'>>;
}

/** The admin plane on a real Unix socket, over the embedded stores; parts can be replaced. */
export async function startAdminPlane(
  t: TestContext,
  replace: (state: State) => Partial<AdminPlaneDeps> = () => ({}),
): Promise<AdminHarness> {
  const directory = temporaryDirectory(t);
  const { log, lines } = recordedLog();
  const env = { BRUME_STATE_DIR: directory };
  const config = loadConfig({ env, defaultFile: join(directory, 'absent.conf') });
  const state = await buildState(config, log);
  state.readiness.startServing();
  const plane = await buildAdminPlane({
    ...state,
    version: '1.2.3',
    readiness: () => state.readiness.report(),
    bodyMaxBytes: config.bodyMaxBytes,
    ...replace(state),
  });
  const server = new PlaneServer(plane, config);
  const socketPath = join(directory, 'admin.sock');
  await listenUnix(
    server.server,
    { path: socketPath, group: 'brume-test-none' },
    { variable: 'BRUME_ADMIN_SOCKET', log },
  );
  t.after(async () => {
    server.closeAll();
    await plane.close();
    await state.close();
  });
  return {
    state,
    lines,
    socketPath,
    call: async (method, path, options) => {
      const answer = await send(socketPath, method, path, options);
      return { ...answer, json: answer.text === '' ? undefined : JSON.parse(answer.text) };
    },
    text: (path, headers = {}) => send(socketPath, 'GET', path, { headers }),
  };
}

function send(
  socketPath: string,
  method: string,
  path: string,
  call: Call = {},
): Promise<Omit<Answer, 'json'>> {
  const { body, rawBody = body === undefined ? undefined : JSON.stringify(body) } = call;
  const headers = { ...(rawBody !== undefined && { 'content-type': 'application/json' }), ...call.headers };
  return new Promise((resolve, reject) => {
    const outgoing = request({ socketPath, method, path, headers, agent: false }, (incoming) => {
      let text = '';
      incoming.setEncoding('utf8');
      incoming.on('data', (chunk: string) => {
        text += chunk;
      });
      incoming.on('error', reject);
      incoming.on('end', () => {
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text });
      });
    });
    outgoing.on('error', reject);
    outgoing.end(rawBody);
  });
}

/** A rule of one fixed window. */
export function window(limit: unknown, more: Record<string, unknown> = {}): Record<string, unknown> {
  return { limits: [{ algorithm: 'fixed_window', limit, windowMs: 60_000 }], ...more };
}
