import assert from 'node:assert/strict';
import { Agent, METHODS, request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { RouteOptions } from 'fastify';
import { planeRoutes } from '../../scripts/docs/plane-routes.ts';
import { type Listeners, openListeners } from '../../src/appliance/listeners.ts';
import { buildState, type State } from '../../src/appliance/state.ts';
import { newApiKeySecret } from '../../src/tenancy/api-key-secret.ts';
import { newManagementTokenSecret } from '../../src/tenancy/management-token-secret.ts';
import { DEFAULT_ORGANISATION_ID } from '../../src/tenancy/organisation.ts';
import { recordedLog } from '../appliance/fakes.ts';
import { load } from '../config/faults-of.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const LOCAL = { name: 'local:test', address: null, requestId: null };
const CONSOLE = 'https://console.example.com';
const ROUTES = await planeRoutes();
/** Both planes have these, each its own. */
const SHARED = new Set(['/health', '/ready']);

type Where = { readonly port: number } | { readonly socketPath: string };

interface House {
  readonly state: State;
  readonly data: readonly Where[];
  readonly management: Where;
  /** Of a project that there is, with every scope. */
  readonly apiKey: string;
  /** Of an owner of the default organisation. */
  readonly token: string;
}

/** Everything that a process listens on, over one state, as the appliance opens it. */
async function openHouse(t: TestContext): Promise<House> {
  const directory = temporaryDirectory(t);
  const config = load({
    BRUME_STATE_DIR: directory,
    BRUME_LISTEN: '127.0.0.1:0',
    BRUME_SOCKET: join(directory, 'data.sock'),
    BRUME_ADMIN_SOCKET: join(directory, 'admin.sock'),
    BRUME_MANAGEMENT_LISTEN: '127.0.0.1:0',
    BRUME_MANAGEMENT_ORIGINS: CONSOLE,
    BRUME_METRICS_ALLOW: 'none',
    BRUME_ADDRESS_RATE: 'off',
    BRUME_ACCESS_LOG: 'off',
  });
  const state = await buildState(config, recordedLog().log);
  const listeners = await openListeners(config, state);
  t.after(async () => {
    await listeners.close();
    await state.close();
  });
  const project = await state.tenancy.createProject({ name: 'shop' }, LOCAL);
  const key = newApiKeySecret('service');
  const scopes = ['limit', 'peek', 'lease', 'reset'] as const;
  await state.tenancy.createKey(
    project.id,
    { name: 'all', kind: 'service', scopes, prefix: key.prefix, sha256: key.sha256, expiresAtMs: null },
    LOCAL,
  );
  const token = newManagementTokenSecret();
  await state.tokens.createToken(
    {
      organisationId: DEFAULT_ORGANISATION_ID,
      name: 'all',
      role: 'owner',
      prefix: token.prefix,
      sha256: token.sha256,
      madeBy: null,
      expiresAtMs: Date.now() + 86_400_000,
    },
    LOCAL,
  );
  return {
    state,
    data: [{ port: portOf(listeners, 0) }, { socketPath: String(config.socket) }],
    management: { port: portOf(listeners, 3) },
    apiKey: key.secret,
    token: token.secret,
  };
}

function portOf({ servers }: Listeners, at: number): number {
  const address = servers[at]?.server.address();
  if (address === null || typeof address !== 'object') throw new Error('not on TCP');
  return address.port;
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly code: unknown;
}

function ask(
  agent: Agent,
  where: Where,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', ...where, method, path, headers, agent }, (answer) => {
      let text = '';
      answer.on('data', (chunk: Buffer) => {
        text += chunk.toString('latin1');
      });
      answer.on('end', () => {
        const isProblem = String(answer.headers['content-type']).includes('json') && text !== '';
        const { code } = isProblem ? JSON.parse(text) : {};
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, code });
      });
    });
    // What is no HTTP any more after CONNECT closes its connection: no answer is none, too.
    outgoing.on('connect', (answer, socket) => {
      socket.destroy();
      resolve({ status: answer.statusCode ?? 0, headers: answer.headers, code: undefined });
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}

/** A path as it is, and in every disguise in which another plane might know it. */
function spellings(path: string): string[] {
  const [, first = '', ...rest] = path.split('/');
  const tail = rest.map((part) => `/${part}`).join('');
  return [
    path,
    `${path}/`,
    `/${path}`,
    `//${first}/${tail}`,
    `/./${first}${tail}`,
    `/%2e/${first}${tail}`,
    `/x/%2e%2e/${first}${tail}`,
    `/x/../${first}${tail}`,
    `/%2f${first}${tail}`,
    path.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
    path.toUpperCase(),
    `${path}?x=1`,
    `${path}#x`,
    `${path}%00`,
    `${path};x=1`,
    `http://127.0.0.1${path}`,
    `http://management${path}`,
  ];
}

/** The paths of a plane's routes, with something in place of each parameter. */
function pathsOf(routes: readonly RouteOptions[]): string[] {
  const urls = new Set(routes.map(({ url }) => url.replaceAll(/:[a-z]+/g, 'shop').replace('*', 'x')));
  return [...urls].filter((url) => !SHARED.has(url));
}

/** Node's client speaks CONNECT in a way of its own; the raw test below has it. */
const ALL_METHODS = METHODS.filter((method) => method !== 'CONNECT');

/** Asks for each path: in all methods as it is, in all spellings by the methods that change something. */
async function askAll(
  where: Where,
  paths: readonly string[],
  headers: Readonly<Record<string, string>>,
  judge: (answer: Answer, what: string) => void,
): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const asked: [method: string, path: string][] = paths.flatMap((path) => [
    ...ALL_METHODS.map((method): [string, string] => [method, path]),
    ...spellings(path).flatMap((spelling) =>
      ['GET', 'POST', 'PUT', 'DELETE'].map((method): [string, string] => [method, spelling]),
    ),
  ]);
  for (let from = 0; from < asked.length; from += 256) {
    await Promise.all(
      asked.slice(from, from + 256).map(async ([method, path]) => {
        judge(await ask(agent, where, method, path, headers), `${method} ${path}`);
      }),
    );
  }
  agent.destroy();
  return asked.length;
}

/** Counts the calls to what only one of the planes asks. */
function watched<Part extends object>(part: Part, onCall: () => void): void {
  for (const name of Object.getOwnPropertyNames(Object.getPrototypeOf(part))) {
    const method: unknown = Reflect.get(part, name);
    if (name === 'constructor' || typeof method !== 'function') continue;
    Reflect.set(part, name, (...args: unknown[]) => {
      onCall();
      return method.apply(part, args);
    });
  }
}

test('no key, header, origin, method or spelling on a listener of the data plane reaches a management route', async (t) => {
  const { state, data, apiKey, token } = await openHouse(t);
  let reached = 0;
  for (const part of [
    state.tenancy,
    state.policy,
    state.organisations,
    state.users,
    state.tokens,
    state.tiers,
    state.audit,
    state.rules,
    state.exceptions,
  ]) {
    watched(part, () => reached++);
  }
  const paths = pathsOf(ROUTES.management);
  assert.ok(paths.length > 50, String(paths.length));
  const everything = {
    authorization: `Bearer ${token}`,
    'x-api-key': apiKey,
    'x-brume-key': apiKey,
    'x-brume-author': 'root',
    'x-forwarded-proto': 'https',
    'x-forwarded-for': '127.0.0.1',
    'x-forwarded-host': 'management',
    origin: CONSOLE,
  };
  const own = { ...everything, authorization: `Bearer ${apiKey}` };
  for (const where of data) {
    for (const headers of [everything, own]) {
      const count = await askAll(where, paths, headers, ({ status, code, headers: answered }, what) => {
        assert.ok(status === 404 || status === 400 || status === 204, `${what}: ${status} ${code}`);
        if (status === 404)
          assert.ok(code === 'unknown_route' || what.startsWith('HEAD'), `${what}: ${code}`);
        assert.notEqual(answered['access-control-allow-origin'], CONSOLE, what);
      });
      assert.ok(count > 4000);
    }
  }
  assert.equal(reached, 0);
});

test('no key, token, header, origin, method or spelling on the management plane reaches a route of the data plane', async (t) => {
  const { state, management, apiKey, token } = await openHouse(t);
  let reached = 0;
  watched(state.keys, () => reached++);
  const paths = pathsOf(ROUTES.data);
  for (const authorization of [`Bearer ${apiKey}`, `Bearer ${token}`]) {
    const headers = {
      authorization,
      'x-api-key': apiKey,
      apikey: apiKey,
      'x-brume-key': apiKey,
      'x-brume-author': 'root',
      origin: 'https://shop.example',
    };
    await askAll(management, paths, headers, ({ status, code, headers: answered }, what) => {
      // QUERY is for bodies: one without its type is refused before its path is looked at.
      const isQuery = status === 415 && what.startsWith('QUERY');
      assert.ok(status === 404 || status === 400 || isQuery, `${what}: ${status} ${code}`);
      const cors = Object.keys(answered).filter((name) =>
        /^(access-control|x-ratelimit|ratelimit)/.test(name),
      );
      assert.deepEqual(cors, [], what);
    });
  }
  assert.equal(reached, 0);
});

test('a key of the data plane, or the word of the command line, is nobody on every management route', async (t) => {
  const { management, apiKey } = await openHouse(t);
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  for (const headers of [
    { authorization: `Bearer ${apiKey}` },
    { 'x-api-key': apiKey },
    { 'x-brume-key': apiKey },
    { apikey: apiKey },
    { 'x-brume-author': 'root' },
    { cookie: `token=${apiKey}` },
  ]) {
    for (const { method, url, config } of ROUTES.management) {
      if (config?.isPublic === true) continue;
      const path = url.replaceAll(/:[a-z]+/g, 'shop');
      for (const query of ['', `?apikey=${apiKey}`, `?token=${apiKey}`]) {
        const { status } = await ask(agent, management, String(method), path + query, headers);
        assert.equal(status, 401, `${method} ${path} ${Object.keys(headers)}`);
      }
    }
  }
  agent.destroy();
});

test('over HTTP/1.0, by absolute form and by CONNECT no plane gives what is the other one’s', async (t) => {
  const { data, management, apiKey, token } = await openHouse(t);
  const raw = (where: Where, head: string) =>
    new Promise<string>((resolve, reject) => {
      let text = '';
      const socket = connect(
        'port' in where ? { host: '127.0.0.1', ...where } : { path: where.socketPath },
        () => socket.end(`${head}\r\nAuthorization: Bearer ${token}\r\nX-API-Key: ${apiKey}\r\n\r\n`),
      );
      socket.on('data', (chunk) => {
        text += chunk.toString('latin1');
      });
      socket.on('error', reject);
      socket.on('close', () => resolve(text));
    });
  const cases = [
    ...data.map((where) => ({ where, paths: pathsOf(ROUTES.management) })),
    { where: management, paths: pathsOf(ROUTES.data) },
  ];
  for (const { where, paths } of cases) {
    for (const path of paths) {
      for (const head of [
        `GET ${path} HTTP/1.0`,
        `DELETE ${path} HTTP/1.0\r\nHost: management`,
        `GET http://127.0.0.1:8610${path} HTTP/1.1\r\nHost: x\r\nConnection: close`,
        `GET https://management${path} HTTP/1.1\r\nHost: management\r\nConnection: close`,
        `CONNECT ${path} HTTP/1.1\r\nHost: x\r\nConnection: close`,
      ]) {
        const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(await raw(where, head))?.[1] ?? 0);
        assert.ok(
          status === 404 || status === 400 || (head.startsWith('CONNECT') && status === 0),
          `${head}: ${status}`,
        );
      }
    }
  }
});
