import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type BrumeProcess, runBrume, startBrume } from '../support/brume-process.ts';
import { freePort } from '../support/free-port.ts';
import { call } from '../support/http-call.ts';

/** What stands in a line of `brume audit --jsonl`, as far as the test looks at it. */
interface Line {
  readonly revision: number;
  readonly actor: string;
  readonly action: string;
  readonly target: string;
  readonly before: { readonly callsPerDay?: number } | null;
  readonly after: { readonly callsPerDay?: number } | null;
}

/** What the management API can do, done by the command line: each step builds on those before it. */
describe('organisations, tiers, rotated keys and the audit by the command line', () => {
  let brume: BrumeProcess;
  let plane: string;
  let oldKey: { readonly id: string; readonly key: string };
  let newKey: { readonly id: string; readonly key: string };

  before(async () => {
    const listen = `127.0.0.1:${await freePort()}`;
    plane = `http://${listen}`;
    brume = await startBrume({ BRUME_MANAGEMENT_LISTEN: listen });
  });

  after(async () => {
    await brume?.stop();
  });

  async function statusWith({ key }: { readonly key: string }): Promise<number> {
    const answer = await call(`${brume.url}/v1/limit`, {
      method: 'POST',
      headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
      body: JSON.stringify({ namespace: 'login', identifier: 'alice' }),
    });
    return answer.status;
  }

  async function done(...command: string[]): Promise<string> {
    const { exitCode, stdout, stderr } = await brume.run(...command);
    equal(exitCode, 0, stderr);
    return stdout;
  }

  async function audit(...options: string[]): Promise<Line[]> {
    const stdout = await done('audit', '--jsonl', ...options);
    return stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  }

  it('a project is made in the organisation that is named, and listed as one of it', async () => {
    await done('org', 'create', 'retail');
    await done('project', 'create', 'shop', '--organisation', 'retail');
    await done('project', 'create', 'other');
    match(await done('project', 'list', '--organisation', 'retail'), /shop/);
    equal(/other/.test(await done('project', 'list', '--organisation', 'retail')), false);
    const organisation = (await brume.json('org', 'show', 'retail')) as { id: string };
    match(await done('project', 'show', 'shop'), new RegExp(`^Organisation +${organisation.id}$`, 'm'));
  });

  it('a tier is made, changed, given and taken; one that a project has stays', async () => {
    await done('tier', 'create', 'free', '--calls-per-day', '1000');
    await done('project', 'tier', 'shop', 'free');
    match(await done('tier', 'set', 'free', '--calls-per-day', '2000'), /2000 calls a day/);
    match(await done('tier', 'list'), /free .* 2000 /);
    equal((await brume.run('tier', 'delete', 'free', '--yes')).exitCode, 1);
    equal((await brume.run('tier', 'set', 'free', '--name', 'trial', '--expect', '1')).exitCode, 1);
    await done('project', 'tier', 'shop', '--none');
    match(await done('tier', 'show', 'free'), /^Calls a day +2000$/m);
    await done('tier', 'delete', 'free', '--yes');
  });

  it('a rotated key goes on beside the new one, until a rotation without an overlap', async () => {
    await done('namespace', 'create', 'shop', 'login', '--limit', '100', '--window', '1h');
    oldKey = (await brume.json('key', 'create', 'shop', 'web')) as typeof oldKey;
    newKey = (await brume.json('key', 'rotate', 'shop', oldKey.id, '--overlap', '1h')) as typeof newKey;
    deepEqual([await statusWith(oldKey), await statusWith(newKey)], [200, 200]);
    match(await done('key', 'show', 'shop', newKey.id), new RegExp(`^In the place of +${oldKey.id}$`, 'm'));
    const last = (await brume.json('key', 'rotate', 'shop', newKey.id, '--overlap', '0s')) as typeof newKey;
    deepEqual([await statusWith(newKey), await statusWith(last)], [401, 200]);
  });

  it('overrides are imported, and one is changed in part', async () => {
    const file = join(brume.settings.BRUME_STATE_DIR ?? '', 'customers.csv');
    writeFileSync(file, 'customer-1,,contract 7\ncustomer-2\n');
    const at = ['--project', 'shop'];
    await done('override', 'import', 'login', file, '--limit', '900', '--for', '1d', ...at);
    match(await done('override', 'update', 'login', 'customer-1', '--endless', ...at), /until it is removed/);
    const { items } = (await brume.json('override', 'list', 'login', ...at)) as {
      items: { match: string; reason: string; expiresAt: string | null; limits: { limit: number }[] }[];
    };
    deepEqual(
      items.map((one) => [one.match, one.limits[0]?.limit, one.reason, one.expiresAt !== null]),
      [
        ['customer-1', 900, 'contract 7', false],
        ['customer-2', 900, '', true],
      ],
    );
  });

  it('top tells who came', async () => {
    match(await done('top', 'shop', 'login'), /^ *\d+ +alice$/m);
  });

  it('the audit is exported from the first change to the last, and goes on where it ended', async () => {
    const lines = await audit();
    const revisions = lines.map(({ revision }) => revision);
    deepEqual(
      revisions,
      revisions.toSorted((a, b) => a - b),
    );
    equal(lines[0]?.action, 'organisation.create');
    const set = lines.find(({ action }) => action === 'tier.update');
    deepEqual([set?.before?.callsPerDay, set?.after?.callsPerDay], [1000, 2000]);
    equal(lines.filter(({ action }) => action === 'key.rotate').length, 2);
    ok(!JSON.stringify(lines).includes(newKey.key), 'no key is in it');
    const last = String(lines.at(-1)?.revision);
    deepEqual(await audit('--after', last), []);
    await done('project', 'delete', 'other', '--yes');
    deepEqual(
      (await audit('--after', last)).map(({ action, target }) => [action, target]),
      [['project.delete', 'other']],
    );
  });

  it('of a project, an organisation, an action, an actor', async () => {
    ok((await audit('--project', 'shop')).every(({ action }) => !action.startsWith('organisation.')));
    ok((await audit('--organisation', 'retail')).some(({ target }) => target === 'retail'));
    deepEqual(
      [...new Set((await audit('--action', 'key.create')).map(({ action }) => action))],
      ['key.create'],
    );
    deepEqual(await audit('--actor', 'user:nobody'), []);
    ok((await audit('--last', '1h', '--limit', '3')).length === 3);
  });

  it('a token is told what it may do, and its organisation’s audit if it may', async () => {
    const invited = (await brume.json(
      'user',
      'invite',
      'anna',
      '--organisation',
      'retail',
      '--role',
      'admin',
    )) as {
      token: string;
    };
    const json = { 'content-type': 'application/json' };
    const password = 'correct horse battery';
    const accept = {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ token: invited.token, password }),
    };
    equal((await call(`${plane}/v1/invitations/accept`, accept)).status, 200);
    const signedIn = await call(`${plane}/v1/session`, {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ login: 'anna', password }),
    });
    const file = join(brume.settings.BRUME_STATE_DIR ?? '', 'token');
    writeFileSync(file, JSON.parse(signedIn.body).token, { mode: 0o600 });
    const remote = (...command: string[]) => runBrume({}, ...command, '--url', plane, '--token-file', file);
    match((await remote('whoami')).stdout, /^user:anna\n\nORGANISATION +ROLE\nretail +admin$/m);
    match((await remote('audit', '--organisation', 'retail')).stdout, /key\.rotate +key_/);
    match((await remote('audit')).stderr, /role/);
    equal((await remote('audit', '--jsonl')).exitCode, 1);
  });
});
