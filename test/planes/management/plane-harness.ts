import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { listenTcp } from '../../../src/appliance/listen.ts';
import { PlaneServer, type TlsIdentity } from '../../../src/appliance/plane-server.ts';
import { buildState, type State } from '../../../src/appliance/state.ts';
import { userPrincipal } from '../../../src/planes/management/identity/user-principal.ts';
import {
  buildManagementPlane,
  type ManagementPlaneDeps,
} from '../../../src/planes/management/management-plane.ts';
import type { Role } from '../../../src/tenancy/role.ts';
import { type LogLine, recordedLog } from '../../appliance/fakes.ts';
import { load } from '../../config/faults-of.ts';
import { call, type HttpAnswer } from '../../support/http-call.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const LOCAL = { name: 'local:test', address: null, requestId: null };

interface Answer extends HttpAnswer {
  /** The body's JSON; empty if it is none. */
  readonly json: Record<string, unknown>;
}

interface Asked {
  /** The login of a user whose word is taken for it. */
  readonly as?: string | undefined;
  /** Sent as Authorization: Bearer. */
  readonly token?: string | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly from?: string;
}

export interface PlaneHarness {
  readonly state: State;
  readonly lines: LogLine[];
  readonly port: number;
  readonly url: string;
  call(method: string, path: string, asked?: Asked): Promise<Answer>;
  /** A user with these roles, by the names of organisations, which are made if they are not there. */
  user(login: string, roles: Readonly<Record<string, Role>>): Promise<void>;
}

export interface PlaneSetUp {
  readonly env?: Record<string, string>;
  readonly tls?: TlsIdentity;
  /** Instead of those of the state. */
  readonly replace?: (state: State) => Partial<ManagementPlaneDeps>;
}

/**
 * The management plane behind a real listener, over the embedded stores. `X-Test-User` names who asks:
 * how that is proved is not the matter here, and what the person may do comes from the store.
 */
export async function startManagementPlane(
  t: TestContext,
  { env = {}, tls, replace = () => ({}) }: PlaneSetUp = {},
): Promise<PlaneHarness> {
  const { log, lines } = recordedLog();
  const config = load({ BRUME_STATE_DIR: temporaryDirectory(t), BRUME_ACCESS_LOG: 'off', ...env });
  const state = await buildState(config, log);
  state.readiness.startServing();
  const { users, organisations } = state;
  const plane = await buildManagementPlane({
    ...state,
    config,
    version: '1.2.3',
    readiness: () => state.readiness.report(),
    identify: async (request) => {
      const login = request.headers['x-test-user'];
      if (typeof login !== 'string') return state.identify(request);
      const user = await users.findUser(login);
      const origin = { address: null, requestId: request.id };
      return user && userPrincipal(user, { origin, organisations });
    },
    ...replace(state),
  });
  const server = new PlaneServer(plane, config, { tls });
  await listenTcp(
    server.server,
    { host: '127.0.0.1', port: 0 },
    { variable: 'BRUME_MANAGEMENT_LISTEN', log },
  );
  t.after(async () => {
    server.closeAll();
    await plane.close();
    await state.close();
  });
  const { port } = server.server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return {
    state,
    lines,
    port,
    url,
    call: async (method, path, { as, token, body, headers, from } = {}) => {
      const answer = await call(url + path, {
        method,
        headers: {
          ...(as !== undefined && { 'x-test-user': as }),
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        ...(from !== undefined && { from }),
      });
      return { ...answer, json: isJson(answer) ? JSON.parse(answer.body) : {} };
    },
    user: async (login, roles) => {
      const { id } = await users.createUser(login, LOCAL);
      for (const [name, role] of Object.entries(roles)) {
        const organisation =
          (await organisations.findOrganisation(name)) ??
          (await organisations.createOrganisation(name, LOCAL));
        await organisations.setMember(organisation.id, id, role, LOCAL);
      }
    },
  };
}

function isJson({ body, headers }: HttpAnswer): boolean {
  return body !== '' && String(headers['content-type']).includes('json;');
}
