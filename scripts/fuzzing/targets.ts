import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startBrume } from '../../test/support/brume-process.ts';
import { freePort } from '../../test/support/free-port.ts';
import { planeRoutes } from '../docs/plane-routes.ts';
import { type Answer, type Ask, inADay, makeFixtures } from './fixtures.ts';
import { fuzzedDocument } from './fuzzed-document.ts';
import { relayTo } from './socket-relay.ts';

/** A plane to be fuzzed. */
export interface Target {
  readonly name: string;
  readonly url: string;
  /** The files with its OpenAPI document: as it is, and with more said of bodies. */
  readonly documents: { readonly plain: string; readonly deep: string };
  /** Another target has the same operations: a short run draws from them, and doesn't try each systematically. */
  readonly isRepeated: boolean;
  /** The file that says to scripts/fuzzing/steer.py who asks and what there is. */
  readonly steering: string;
  /** The status of a call that only who is let in can make, before as after. */
  probe(): Promise<number>;
}

export interface Targets {
  readonly targets: readonly Target[];
  log(): string;
  /** Of `GET /ready`. */
  readiness(): Promise<number>;
  /** What no log line may hold. */
  readonly secrets: readonly string[];
  stop(): Promise<number | null>;
}

/** So many sessions may be ended by requests. */
const EXPENDABLE = 8;
const PASSWORD = 'correct horse battery staple';

/** Who asks a plane: in which header, and with which values, the first of which is used mostly. */
interface Credentials {
  readonly headers: readonly string[];
  readonly values: readonly string[];
  /** For requests that end the session they are asked in. */
  readonly expendable?: readonly string[];
  /** One a request: behind the relay an end that crosses with the next request looks like a fault. */
  readonly ownConnections?: true;
}

/** Starts a Brume with something in it, and gives its planes, with their documents in `directory`. */
export async function startTargets(directory: string): Promise<Targets> {
  const listen = `127.0.0.1:${await freePort()}`;
  const brume = await startBrume({
    BRUME_MANAGEMENT_LISTEN: listen,
    BRUME_ADDRESS_RATE: 'off',
    BRUME_LOG_LEVEL: 'debug',
    BRUME_ACCESS_LOG: 'all',
  });
  const relay = await relayTo(brume.settings.BRUME_ADMIN_SOCKET ?? '');
  const stop = () => {
    relay.close();
    return brume.stop();
  };
  try {
    const consoleUrl = `http://${listen}`;
    const local = askerOf(relay.url);
    const { known, kept, key } = await makeFixtures(local);
    const console = askerOf(consoleUrl);
    const people = await invite(local, console, { anna: 'owner', vera: 'viewer', otto: 'owner' });
    const sessions: string[] = [];
    // One by one: attempts that are under way count as failed.
    for (let n = 0; n < EXPENDABLE; n++) sessions.push(await signIn(console, 'otto'));
    const expendable = sessions.map((token) => `Bearer ${token}`);
    const program = await local('POST', '/v1/organisations/default/tokens', {
      name: 'fuzzer',
      role: 'owner',
      expiresAt: inADay(),
    });
    const secrets = [key, PASSWORD, program.token, ...people.tokens, ...sessions];
    const steer = (name: string, credentials: Credentials): string => {
      const file = join(directory, `${name}.json`);
      const all = [...kept, program.id, 'anna', 'vera', 'otto', ...people.ids];
      writeFileSync(
        file,
        JSON.stringify({ expendable: [], ownConnections: false, known, kept: all, ...credentials }),
      );
      return file;
    };
    const save = async (name: string, from: string, plane: 'data' | 'management' | 'admin') => {
      const routes = (await planeRoutes())[plane];
      const calls = new Set(
        routes.flatMap(({ method, url }) =>
          [method].flat().map((one) => `${one} ${url.replace(/:([a-z]+)/g, '{$1}')}`),
        ),
      );
      const isServed = (call: string) => calls.has(call);
      const plain = join(directory, `${name}.plain.json`);
      const deep = join(directory, `${name}.deep.json`);
      writeFileSync(plain, fuzzedDocument(from, { isServed, isDeep: false }));
      writeFileSync(deep, fuzzedDocument(from, { isServed, isDeep: true }));
      return { plain, deep };
    };

    const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
    const namespaces = '/v1/projects/shop/namespaces';
    const bearers = [...people.tokens, program.token].map((token) => `Bearer ${token}`);
    const targets: readonly Target[] = [
      {
        name: 'data plane',
        url: brume.url,
        documents: await save('data', 'openapi-data.json', 'data'),
        isRepeated: false,
        steering: steer('data', { headers: ['X-API-Key', 'X-Brume-Key'], values: [key] }),
        probe: () =>
          statusOf(`${brume.url}/v1/peek`, {
            method: 'POST',
            headers: { 'x-api-key': key, 'content-type': 'application/json' },
            body: JSON.stringify({ namespace: 'wide', identifier: 'probe' }),
          }),
      },
      {
        name: 'management plane',
        url: consoleUrl,
        documents: await save('management', 'openapi.json', 'management'),
        isRepeated: false,
        steering: steer('management', { headers: ['Authorization'], values: bearers, expendable }),
        probe: () => statusOf(consoleUrl + namespaces, { headers: bearer(people.tokens[0] ?? '') }),
      },
      {
        name: 'admin socket',
        url: relay.url,
        documents: await save('admin', 'openapi.json', 'admin'),
        isRepeated: true,
        steering: steer('admin', { headers: [], values: [], ownConnections: true }),
        probe: () => statusOf(relay.url + namespaces, {}),
      },
    ];
    return { targets, log: brume.log, readiness: () => statusOf(`${brume.url}/ready`, {}), secrets, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Invites people into both organisations, and signs them in. */
async function invite(local: Ask, console: Ask, roles: Readonly<Record<string, string>>) {
  const ids: string[] = [];
  const tokens: string[] = [];
  for (const [login, role] of Object.entries(roles)) {
    ids.push((await local('POST', '/v1/users', { login })).id);
    for (const organisation of ['default', 'acme']) {
      await local('PUT', `/v1/organisations/${organisation}/members/${login}`, { role });
    }
    const { token } = await local('POST', `/v1/users/${login}/invitations`);
    await console('POST', '/v1/invitations/accept', { token, password: PASSWORD });
    tokens.push(await signIn(console, login));
  }
  return { ids, tokens };
}

/** Gives the token of a new session. */
async function signIn(console: Ask, login: string): Promise<string> {
  return (await console('POST', '/v1/session', { login, password: PASSWORD })).token;
}

function askerOf(url: string): Ask {
  return async (method, path, body) => {
    const answer = await fetch(url + path, {
      method,
      ...(body !== undefined && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return JSON.parse(text) as Answer;
  };
}

async function statusOf(url: string, request: RequestInit): Promise<number> {
  const answer = await fetch(url, request);
  await answer.arrayBuffer();
  return answer.status;
}
