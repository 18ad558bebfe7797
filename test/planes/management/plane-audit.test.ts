import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { LONG_ANSWERS_MAX } from '../../../src/planes/hooks/long-answers.ts';
import { startManagementPlane } from './plane-harness.ts';

interface Entry {
  readonly revision: number;
  readonly actor: string;
  readonly action: string;
  readonly requestId: string;
  readonly after: unknown;
}

/** So long that no buffer takes a page of it. */
const LONG_ENTRY = {
  revision: 1,
  atMs: 0,
  actor: 'user:olga',
  address: null,
  requestId: null,
  organisationId: null,
  projectId: null,
  action: 'project.create',
  target: 'shop',
  before: null,
  after: 'x'.repeat(50_000),
};

test('every change stands in the audit with who made it: of the project, its organisation and everywhere', async (t) => {
  const { call, user } = await startManagementPlane(t);
  await user('olga', { default: 'owner' });
  await user('anna', { acme: 'admin' });
  const made = await call('POST', '/v1/projects', {
    as: 'anna',
    body: { name: 'shop', organisation: 'acme' },
  });
  const key = await call('POST', '/v1/projects/shop/keys', {
    as: 'anna',
    body: { name: 'web', kind: 'service' },
  });
  await call('POST', '/v1/projects', { as: 'olga', body: { name: 'other' } });

  const audit = async (path: string, as: string) => {
    const answer = await call('GET', path, { as });
    assert.equal(answer.status, 200, answer.body);
    return answer.json.items as Entry[];
  };
  const ofProject = await audit('/v1/projects/shop/audit', 'anna');
  assert.deepEqual(
    ofProject.map(({ actor, action }) => [actor, action]),
    [
      ['user:anna', 'project.create'],
      ['user:anna', 'key.create'],
    ],
  );
  assert.equal(ofProject[0]?.requestId, made.headers['x-request-id']);
  const ofOrganisation = await audit('/v1/organisations/acme/audit', 'anna');
  assert.ok(ofOrganisation.some(({ action }) => action === 'key.create'));
  assert.ok(ofOrganisation.every(({ actor }) => actor !== 'user:olga'));
  const everywhere = await audit('/v1/audit?actor=user:olga', 'olga');
  assert.deepEqual(
    everywhere.map(({ action }) => action),
    ['project.create'],
  );
  assert.equal(JSON.stringify(await audit('/v1/audit', 'olga')).includes(String(key.json.key)), false);
});

test('the audit is read by pages, by filters and as JSON lines', async (t) => {
  const { call, user } = await startManagementPlane(t);
  await user('olga', { default: 'owner' });
  for (let at = 0; at < 7; at++) await call('POST', '/v1/projects', { as: 'olga', body: { name: `p${at}` } });
  const read = (query: string, headers = {}) => call('GET', `/v1/audit?${query}`, { as: 'olga', headers });

  const seen: number[] = [];
  for (let after = ''; ; ) {
    const { json } = await read(`action=project.create&limit=3${after}`);
    seen.push(...(json.items as Entry[]).map(({ revision }) => revision));
    if (json.next === null) break;
    after = `&after=${json.next}`;
  }
  assert.equal(new Set(seen).size, 7);
  assert.deepEqual(
    seen,
    [...seen].sort((a, b) => a - b),
  );

  const accept = { accept: 'application/x-ndjson' };
  const lines = await read('action=project.create', accept);
  assert.match(String(lines.headers['content-type']), /^application\/x-ndjson/);
  const entries = lines.body
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Entry);
  assert.deepEqual(
    entries.map(({ revision }) => revision),
    seen,
  );
  assert.equal((await read('limit=2', accept)).body.trimEnd().split('\n').length, 2);
  assert.equal((await read('from=2999-01-01T00:00:00Z', accept)).body, '');
  assert.deepEqual((await read('to=2000-01-01T00:00:00Z')).json.items, []);
  for (const [query, field] of [
    ['from=yesterday', 'from'],
    ['after=x', 'after'],
    ['actor=%00', 'actor'],
    ['who=olga', 'who'],
  ]) {
    const { status, json } = await read(String(query));
    assert.deepEqual([status, json.field], [400, field], query);
  }
});

test('exports at a time are few, and standing ones keep nobody from reading by pages', async (t) => {
  const { call, user, url } = await startManagementPlane(t, {
    replace: () => ({ audit: { listAudit: async ({ pageSize }) => Array(pageSize).fill(LONG_ENTRY) } }),
  });
  await user('olga', { default: 'owner' });
  const headers = { 'x-test-user': 'olga', accept: 'application/x-ndjson' };
  const leaving = new AbortController();
  t.after(() => leaving.abort());
  const standing: Response[] = [];
  for (let at = 0; at < LONG_ANSWERS_MAX; at++) {
    standing.push(await fetch(`${url}/v1/audit`, { headers, signal: leaving.signal }));
  }
  assert.ok(standing.every(({ status }) => status === 200));
  const asked = () => call('GET', '/v1/audit?limit=1', { headers });
  const refused = await asked();
  assert.deepEqual([refused.status, JSON.parse(refused.body).code], [429, 'throttled_export']);
  assert.equal(refused.headers['retry-after'], '5');
  assert.equal((await call('GET', '/v1/audit?limit=1', { as: 'olga' })).status, 200);
  // Held until here: whoever forgets an answer ends it.
  assert.ok(standing.every(({ bodyUsed }) => !bodyUsed));

  leaving.abort();
  while ((await asked()).status === 429) await setTimeout(5);
  const [line] = (await asked()).body.split('\n');
  assert.equal(JSON.parse(String(line)).action, 'project.create');
});

test('times in what was there before and after are shown as everywhere else', async (t) => {
  const { call, user } = await startManagementPlane(t);
  await user('olga', { default: 'owner' });
  const expiresAt = '2099-01-02T03:04:05.678Z';
  await call('POST', '/v1/projects', { as: 'olga', body: { name: 'shop' } });
  const key = await call('POST', '/v1/projects/shop/keys', {
    as: 'olga',
    body: { name: 'web', kind: 'service', expiresAt },
  });
  await call('POST', `/v1/projects/shop/keys/${key.json.id}/rotate`, { as: 'olga', body: {} });
  const rule = { limits: [{ algorithm: 'fixed_window', limit: 5, windowMs: 60_000 }] };
  await call('POST', '/v1/projects/shop/namespaces', { as: 'olga', body: { name: 'login', rule } });
  const { body, json } = await call('GET', '/v1/projects/shop/audit', { as: 'olga' });
  assert.doesNotMatch(body, /AtMs"/);
  const [project, created, rotated, namespace] = json.items as { after: Record<string, unknown> }[];
  assert.match(String(project?.after.createdAt), /^\d{4}-.*Z$/);
  assert.equal(created?.after.expiresAt, expiresAt);
  assert.equal(created?.after.revokedAt, null);
  assert.equal(Object(rotated?.after.created).expiresAt, expiresAt);
  assert.match(JSON.stringify(namespace?.after), /"windowMs":60000/);
});
