import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type BrumeProcess, runBrume, startBrume } from '../support/brume-process.ts';
import { freePort } from '../support/free-port.ts';
import { call } from '../support/http-call.ts';

const PASSWORD = 'correct horse battery';

/** How the first person comes in, and what becomes of them: each step builds on those before it. */
describe('from the first invitation to the last sign-out', () => {
  let brume: BrumeProcess;
  let plane: string;
  let token: string;

  before(async () => {
    const listen = `127.0.0.1:${await freePort()}`;
    plane = `http://${listen}`;
    brume = await startBrume({ BRUME_MANAGEMENT_LISTEN: listen });
  });

  after(async () => {
    await brume?.stop();
  });

  async function ask(
    method: string,
    path: string,
    { body, as = token }: { body?: unknown; as?: string } = {},
  ) {
    const answer = await call(plane + path, {
      method,
      headers: {
        ...(as !== '' && { authorization: `Bearer ${as}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const json: Record<string, unknown> = answer.body === '' ? {} : JSON.parse(answer.body);
    return { status: answer.status, json };
  }

  async function signIn(login = 'anna', password = PASSWORD) {
    const { status, json } = await ask('POST', '/v1/session', { body: { login, password }, as: '' });
    return { status, token: String(json.token) };
  }

  it('without a token nothing is told', async () => {
    for (const path of ['/v1/projects', '/v1/users', '/v1/session', '/v1/organisations']) {
      equal((await ask('GET', path, { as: '' })).status, 401, path);
    }
  });

  it('sudo brume user invite prints a link, and what the curl line there sends accepts it', async () => {
    const { exitCode, stdout } = await brume.run('user', 'invite', 'anna', '--role', 'owner');
    equal(exitCode, 0);
    const link = /^(http\S+)\/invitation#(brume_in_\S+)$/m.exec(stdout);
    equal(link?.[1], plane);
    const [, url = '', body = ''] = /^curl .* -d @- (\S+) <<'END'\n(.*)\nEND$/m.exec(stdout) ?? [];
    const accepted = await call(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: body.replace('…', PASSWORD),
    });
    deepEqual([accepted.status, JSON.parse(accepted.body)], [200, { login: 'anna' }]);
    ok(!brume.log().includes(link?.[2] ?? 'no link'), 'the link is in no log');
  });

  it('the person signs in, and manages what the organisation owns', async () => {
    const signedIn = await signIn();
    equal(signedIn.status, 201);
    token = signedIn.token;
    const { json } = await ask('GET', '/v1/session');
    deepEqual(
      [json.login, json.organisations],
      ['anna', [{ id: 'org_default', name: 'default', role: 'owner' }]],
    );
    equal((await ask('POST', '/v1/projects', { body: { name: 'shop' } })).status, 201);
    const { stdout } = await brume.run('project', 'list');
    match(stdout, /shop/);
  });

  it('somebody without a role sees nothing of it; a removed member neither, at the next request', async () => {
    const invitation = (await brume.json('user', 'invite', 'bert')) as { token: string };
    await ask('POST', '/v1/invitations/accept', {
      body: { token: invitation.token, password: PASSWORD },
      as: '',
    });
    const { token: berts } = await signIn('bert');
    const seen = async () => (await ask('GET', '/v1/projects/shop', { as: berts })).status;
    equal(await seen(), 404);
    equal((await brume.run('org', 'add', 'default', 'bert', '--role', 'viewer')).exitCode, 0);
    equal(await seen(), 200);
    equal((await brume.run('org', 'remove', 'default', 'bert')).exitCode, 0);
    equal(await seen(), 404);
  });

  it('a token from the command line works for --url until it is revoked', async () => {
    const options = ['default', 'ci', '--role', 'viewer', '--expires-in', '1d'];
    const made = (await brume.json('token', 'create', ...options)) as { id: string; token: string };
    const file = join(brume.settings.BRUME_STATE_DIR ?? '', 'token');
    writeFileSync(file, made.token, { mode: 0o600 });
    const remote = (...command: string[]) => runBrume({}, ...command, '--url', plane, '--token-file', file);
    match((await remote('project', 'list')).stdout, /shop/);
    const refused = await remote('project', 'create', 'other');
    equal(refused.exitCode, 1);
    match(refused.stderr, /role/);
    match((await brume.run('token', 'list', 'default')).stdout, /ci .*viewer/);
    equal((await brume.run('token', 'revoke', 'default', made.id)).exitCode, 0);
    equal((await remote('project', 'list')).exitCode, 1);
  });

  it('signing out, disabling and enabling count from the next request on', async () => {
    const { token: another } = await signIn();
    equal((await ask('DELETE', '/v1/session', { as: another })).status, 204);
    equal((await ask('GET', '/v1/session', { as: another })).status, 401);
    equal((await ask('GET', '/v1/session')).status, 200);
    match((await brume.run('user', 'sessions', 'anna')).stdout, /ses_[0-9a-f]{32}/);
    equal((await brume.run('user', 'sessions', 'anna', '--revoke-all')).exitCode, 0);
    equal((await ask('GET', '/v1/session')).status, 401);
    equal((await brume.run('user', 'disable', 'bert')).exitCode, 0);
    equal((await signIn('bert')).status, 401);
    match((await brume.run('user', 'list')).stdout, /bert .*disabled/);
    equal((await brume.run('user', 'enable', 'bert')).exitCode, 0);
    equal((await signIn('bert')).status, 201);
  });

  it('the token of the console opens nothing on the data plane', async () => {
    const { token: fresh } = await signIn();
    const answer = await call(`${brume.url}/v1/limit`, {
      method: 'POST',
      headers: { authorization: `Bearer ${fresh}`, 'content-type': 'application/json' },
      body: JSON.stringify({ namespace: 'login', identifier: 'anna' }),
    });
    equal(answer.status, 401);
  });

  it('no password is in the log', () => {
    ok(!brume.log().includes(PASSWORD));
  });
});
