import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { DAY_MS, HOUR_MS, MIDNIGHT_MS, tallyOf } from '../../support/usage-tallies.ts';
import { type PlaneHarness, startManagementPlane } from './plane-harness.ts';

const USAGE = '/v1/projects/shop/usage';
const NOW_MS = MIDNIGHT_MS + 10 * HOUR_MS + 1;

interface Item {
  readonly start: string;
  readonly namespace: string | null;
  readonly key: string | null;
  readonly keyName: string | null;
  readonly allowed: number;
}

interface Shop extends PlaneHarness {
  readonly keyId: string;
  read(query?: string): Promise<Awaited<ReturnType<PlaneHarness['call']>>>;
  items(query?: string): Promise<Item[]>;
}

/** A project with a key, a namespace `api` and a viewer, at a time that stands. */
async function startShop(t: TestContext): Promise<Shop> {
  const plane = await startManagementPlane(t, {
    replace: ({ clock }) => ({ clock: { ...clock, nowMs: () => NOW_MS } }),
  });
  await plane.user('olga', { default: 'owner' });
  await plane.user('vera', { default: 'viewer' });
  const rule = { limits: [{ algorithm: 'fixed_window', limit: 5, windowMs: 60_000 }] };
  const post = (path: string, body: object) =>
    plane.call('POST', `/v1/projects${path}`, { as: 'olga', body });
  const projectId = String((await post('', { name: 'shop' })).json.id);
  await post('/shop/namespaces', { name: 'api', rule });
  const { json } = await post('/shop/keys', { name: 'web', kind: 'service' });
  const keyId = String(json.id);
  const of = (namespace: string, key: string, hour: number, allowed: number) =>
    tallyOf({ projectId, namespace, keyId: key, hourMs: MIDNIGHT_MS + hour * HOUR_MS, allowed });
  const tallies = [
    of('api', keyId, 10, 1),
    of('api', '', 10, 2),
    of('gone', keyId, 9, 4),
    of('gone', keyId, -15, 8),
    of('api', keyId, -24 * 40, 16),
  ];
  await plane.state.usage.addUsage({ writerId: 'test', number: 1, tallies });
  const read = (query = '') => plane.call('GET', `${USAGE}?${query}`, { as: 'vera' });
  return {
    ...plane,
    keyId,
    read,
    items: async (query) => {
      const answer = await read(query);
      assert.equal(answer.status, 200, answer.body);
      return answer.json.items as Item[];
    },
  };
}

const shown = (items: Item[]) => items.map(({ start, allowed }) => [start.slice(5, 13), allowed]);

test('usage without more is of the whole project, by the day, of the last 30 days', async (t) => {
  const { read } = await startShop(t);
  const { status, json } = await read();
  assert.equal(status, 200);
  const { items, ...rest } = json;
  assert.deepEqual(rest, {
    by: null,
    step: 'day',
    from: new Date(MIDNIGHT_MS - 30 * DAY_MS).toISOString(),
    to: new Date(NOW_MS).toISOString(),
    next: null,
  });
  const none = { namespace: null, key: null, keyName: null, denied: 0, degraded: 0 };
  assert.deepEqual(items, [
    { ...none, start: new Date(MIDNIGHT_MS - DAY_MS).toISOString(), allowed: 8, cost: 1 },
    { ...none, start: new Date(MIDNIGHT_MS).toISOString(), allowed: 7, cost: 3 },
  ]);
});

test('usage is told apart by namespace or key, a deleted namespace and checks without a key too', async (t) => {
  const { items, keyId } = await startShop(t);
  const byNamespace = await items('by=namespace&step=hour&from=2027-03-01T09:59:59Z');
  assert.deepEqual(
    byNamespace.map(({ start, namespace, key, allowed }) => [start.slice(11, 13), namespace, key, allowed]),
    [
      ['09', 'gone', null, 4],
      ['10', 'api', null, 3],
    ],
  );
  const byKey = await items('by=key&from=2027-03-01T00:00:00Z');
  assert.deepEqual(
    byKey.map(({ namespace, key, keyName, allowed }) => [namespace, key, keyName, allowed]),
    [
      [null, null, null, 2],
      [null, keyId, 'web', 5],
    ],
  );
  assert.deepEqual(shown(await items(`by=namespace&key=${keyId}&step=hour&from=2027-03-01T10:00:00Z`)), [
    ['03-01T10', 1],
  ]);
  assert.deepEqual(shown(await items('namespace=gone')), [
    ['02-28T00', 8],
    ['03-01T00', 4],
  ]);
});

test('the step of `from` is in it, and the one that begins at `to` is not', async (t) => {
  const { items } = await startShop(t);
  const range = 'step=hour&from=2027-03-01T09:30:00Z&to=2027-03-01T10:00:00Z';
  assert.deepEqual(shown(await items(range)), [['03-01T09', 4]]);
  assert.deepEqual(shown(await items('from=2027-01-01T00:00:00%2B02:00&to=2027-02-01T00:00:00Z')), [
    ['01-20T00', 16],
  ]);
});

test('pages give all of it, once', async (t) => {
  const { read, items } = await startShop(t);
  for (const by of ['', 'by=namespace&', 'by=key&']) {
    const whole = await items(`${by}from=2027-01-01T00:00:00Z`);
    const paged: Item[] = [];
    for (let after = ''; ; ) {
      const { json } = await read(`${by}from=2027-01-01T00:00:00Z&limit=1${after}`);
      paged.push(...(json.items as Item[]));
      if (json.next === null) break;
      after = `&after=${json.next}`;
    }
    assert.deepEqual(paged, whole);
    assert.ok(whole.length >= 3);
  }
});

test('what can not be asked is 400 or 404 with the field', async (t) => {
  const { read } = await startShop(t);
  const cases: [query: string, status: number, code: string, field: string][] = [
    ['by=moon', 400, 'bad_request', 'by'],
    ['step=week', 400, 'bad_request', 'step'],
    ['from=yesterday', 400, 'bad_request', 'from'],
    ['to=2027-02-30T00:00:00Z', 400, 'bad_request', 'to'],
    ['from=2027-03-02T00:00:00Z', 400, 'bad_request', 'from'],
    ['from=2027-03-02T00:00:00Z&to=2027-03-01T00:00:00Z', 400, 'bad_request', 'from'],
    ['limit=0', 400, 'bad_request', 'limit'],
    ['after=x', 400, 'bad_request', 'after'],
    ['namespace=No%20name', 400, 'bad_request', 'namespace'],
    ['namespace=apl', 404, 'unknown_namespace', 'namespace'],
    ['key=key_none', 404, 'unknown_key', 'key'],
    ['key=%00', 404, 'unknown_key', 'key'],
    ['of=me', 400, 'bad_request', 'of'],
  ];
  for (const [query, status, code, field] of cases) {
    const { json, status: given } = await read(query);
    assert.deepEqual([query, given, json.code, json.field], [query, status, code, field]);
  }
  const { json } = await read('from=2027-03-02T00:00:00Z');
  assert.match(String(json.detail), /from must be before to, which is now/);
});

test('an existing namespace without usage has an empty list; who is no member sees no project', async (t) => {
  const { call, user, items } = await startShop(t);
  assert.deepEqual(await items('namespace=api&to=2026-01-01T00:00:00Z'), []);
  await user('mallory', { other: 'owner' });
  assert.equal((await call('GET', USAGE, { as: 'mallory' })).json.code, 'unknown_project');
  assert.equal((await call('GET', USAGE)).status, 401);
});
