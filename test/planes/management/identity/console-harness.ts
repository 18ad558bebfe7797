import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { consoleIdentity } from '../../../../src/appliance/console-identity.ts';
import type { Config } from '../../../../src/config/config.ts';
import { errorAnswers } from '../../../../src/planes/hooks/error-answers.ts';
import { identification } from '../../../../src/planes/hooks/identification.ts';
import { jsonBody } from '../../../../src/planes/hooks/json-body.ts';
import { peerReader } from '../../../../src/planes/hooks/peer.ts';
import { planeInstance } from '../../../../src/planes/hooks/plane-instance.ts';
import { proxyTrust } from '../../../../src/planes/hooks/proxy-trust.ts';
import { addressReader } from '../../../../src/planes/hooks/recorded-address.ts';
import { authorisation } from '../../../../src/planes/management/authorisation.ts';
import { consoleRoutes } from '../../../../src/planes/management/identity/console-routes.ts';
import { invitationRoutes } from '../../../../src/planes/management/invitation-routes.ts';
import { memberRoutes } from '../../../../src/planes/management/member-routes.ts';
import { routeAccess } from '../../../../src/planes/management/route-access.ts';
import { tokenRoutes } from '../../../../src/planes/management/token-routes.ts';
import { userSessionRoutes } from '../../../../src/planes/management/user-session-routes.ts';
import { Refusals } from '../../../../src/stores/sign-ins/refusals.ts';
import { migrate } from '../../../../src/stores/sql/migrate.ts';
import type { SqlDialect } from '../../../../src/stores/sql/sql.ts';
import { SqlAuditStore } from '../../../../src/stores/sql/sql-audit-store.ts';
import { SqlManagementTokenStore } from '../../../../src/stores/sql/sql-management-token-store.ts';
import { SqlOrganisationStore } from '../../../../src/stores/sql/sql-organisation-store.ts';
import { SqlTenancyStore } from '../../../../src/stores/sql/sql-tenancy-store.ts';
import { SqlUserStore } from '../../../../src/stores/sql/sql-user-store.ts';
import { newOneTimeSecret } from '../../../../src/tenancy/identity/one-time-secret.ts';
import { DEFAULT_ORGANISATION_ID } from '../../../../src/tenancy/organisation.ts';
import type { Role } from '../../../../src/tenancy/role.ts';
import type { User } from '../../../../src/tenancy/user.ts';
import { recordedLog } from '../../../appliance/fakes.ts';
import { load } from '../../../config/faults-of.ts';
import { call } from '../../../support/http-call.ts';
import { ManualTime } from '../../../support/manual-time.ts';
import { openSqlEngine } from '../../../support/sql-engines.ts';

export const PASSWORD = 'correct horse battery';
const ACTOR = { name: 'local:test', address: null, requestId: null };

interface Asked {
  readonly token?: string | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The loopback address from which to connect. */
  readonly from?: string;
}

/** Who signs in and out, over HTTP and a real database, with a clock that stands. */
export async function startConsole(
  t: TestContext,
  { env = {}, dialect = 'sqlite' }: { env?: Record<string, string>; dialect?: SqlDialect } = {},
) {
  const engine = await openSqlEngine(dialect);
  t.after(() => engine.close());
  const { sql } = engine;
  await migrate(sql);
  const time = new ManualTime();
  const users = new SqlUserStore(sql, { clock: time });
  const organisations = new SqlOrganisationStore(sql, { clock: time });
  const tokens = new SqlManagementTokenStore(sql, { clock: time });
  const { log, lines } = recordedLog();
  const config: Config = load(env);
  const identifierSecret = randomBytes(32);
  const signInWatch = new Refusals({ record: users, clock: time, timers: time });
  const { identify, signIn, managementUrl } = consoleIdentity(config, {
    clock: time,
    log,
    identifierSecret,
    users,
    organisations,
    tokens,
    signInWatch,
  });
  const trust = proxyTrust(config.trustedProxies);
  const addressOf = addressReader({ trust, peerOf: peerReader(trust) });
  const deps = {
    users,
    organisations,
    tokens,
    signIn,
    addressOf,
    clock: time,
    managementUrl,
  };

  const app = planeInstance({ bodyMaxBytes: config.bodyMaxBytes, log });
  await app.register(routeAccess);
  await app.register(errorAnswers, { log });
  await app.register(identification, { identify });
  await app.register(authorisation, { tenancy: new SqlTenancyStore(sql), organisations });
  await app.register(jsonBody);
  await app.register(consoleRoutes, deps);
  await app.register(invitationRoutes, deps);
  await app.register(userSessionRoutes, deps);
  await app.register(memberRoutes, deps);
  await app.register(tokenRoutes, deps);
  await app.listen({ host: '127.0.0.1', port: 0 });
  t.after(() => app.close());
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;

  const ask = async (method: string, path: string, { token, body, headers, from }: Asked = {}) => {
    const answer = await call(url + path, {
      method,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(from !== undefined && { from }),
    });
    const json: Record<string, unknown> = answer.body === '' ? {} : JSON.parse(answer.body);
    return { ...answer, json };
  };
  /** Somebody with a link that was not used yet. */
  const invited = async (login: string, role?: Role): Promise<User & { secret: string }> => {
    const user = (await users.findUser(login)) ?? (await users.createUser(login, ACTOR));
    if (role !== undefined) await organisations.setMember(DEFAULT_ORGANISATION_ID, user.id, role, ACTOR);
    const { secret, sha256 } = newOneTimeSecret();
    await users.createInvitation(user.id, { sha256, expiresAtMs: time.nowMs() + 86_400_000 }, ACTOR);
    return { ...user, secret };
  };
  /** Somebody with the password PASSWORD. */
  const registered = async (login: string, role?: Role): Promise<User> => {
    const user = await invited(login, role);
    await signIn.acceptInvitation(user.secret, PASSWORD, ACTOR);
    return user;
  };
  const signedIn = async (login: string): Promise<string> => {
    const { json } = await ask('POST', '/v1/session', { body: { login, password: PASSWORD } });
    return String(json.token);
  };
  return {
    ask,
    invited,
    registered,
    signedIn,
    users,
    organisations,
    audit: new SqlAuditStore(sql),
    identifierSecret,
    signInWatch,
    time,
    lines,
    config,
    actor: ACTOR,
  };
}
