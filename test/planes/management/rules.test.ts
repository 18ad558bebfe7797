import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startAdminPlane, window } from '../admin/admin-harness.ts';

const PATH = '/v1/projects/shop/namespaces';
const MONTH = { limit: 20_000, period: 'month' };

test('a quota is completed with its name, zone and mode', async (t) => {
  const { call } = await startAdminPlane(t);
  await call('POST', '/v1/projects', { body: { name: 'shop' } });
  const { json } = await call('POST', PATH, { body: { name: 'api', rule: { quotas: [MONTH] } } });
  const { quotas } = (json?.rule ?? {}) as { quotas?: unknown };
  assert.deepEqual(quotas, [{ ...MONTH, name: 'month', timeZone: 'UTC', mode: 'enforce' }]);
  assert.deepEqual((await call('GET', `${PATH}/api`)).json, json);
  // What is shown can be sent back as it is.
  const again = await call('PUT', `${PATH}/api`, { body: { rule: json?.rule } });
  assert.deepEqual(again.json?.rule, json?.rule);
});

for (const list of ['limits', 'quotas']) {
  test(`B18: the largest limit in ${list} is read back exactly, and one beyond 2^53-1 refused`, async (t) => {
    const { call } = await startAdminPlane(t);
    await call('POST', '/v1/projects', { body: { name: 'shop' } });
    const body = (limit: string) => {
      const of = list === 'limits' ? '"algorithm":"fixed_window","windowMs":1000' : '"period":"never"';
      return `{"name":"api","rule":{"${list}":[{${of},"limit":${limit}}]}}`;
    };
    const refused = await call('POST', PATH, { rawBody: body('9007199254740993') });
    assert.deepEqual([refused.status, refused.json?.field], [400, `rule.${list}[0].limit`]);
    assert.equal((await call('POST', PATH, { rawBody: body('9007199254740991') })).status, 201);
    const { text } = await call('GET', `${PATH}/api`);
    assert.ok(text.includes('"limit":9007199254740991,'), text);
  });
}

describe('a rule that is not valid is 400, names the member, and nothing is stored', () => {
  const limit = { algorithm: 'fixed_window', limit: 5, windowMs: 1000 };
  const faults: [unknown, string][] = [
    [{}, 'rule.limits'],
    [{ limits: [], quotas: [] }, 'rule.limits'],
    [{ ...window(1), mode: 'trial' }, 'rule.mode'],
    [{ limits: [{ ...limit, mode: 'on' }] }, 'rule.limits[0].mode'],
    [{ limits: [{ ...limit, algorithm: 'leaky' }] }, 'rule.limits[0].algorithm'],
    [{ limits: [{ ...limit, algorithm: 'sliding_window', burst: 2 }] }, 'rule.limits[0].burst'],
    [{ quotas: [{ ...MONTH, mode: 1 }] }, 'rule.quotas[0].mode'],
    [{ quotas: [{ ...MONTH, period: 'fortnight' }] }, 'rule.quotas[0].period'],
    [{ quotas: [{ ...MONTH, limit: -1 }] }, 'rule.quotas[0].limit'],
    [{ quotas: [{ ...MONTH, windowMs: 1000 }] }, 'rule.quotas[0].windowMs'],
    [{ quotas: [{ ...MONTH, timeZone: 'Europe/Atlantis' }] }, 'rule.quotas[0].timeZone'],
    [{ quotas: [{ ...MONTH, anchor: { day: 32 } }] }, 'rule.quotas[0].anchor.day'],
    [{ quotas: [{ ...MONTH, anchor: { weekday: 'monday' } }] }, 'rule.quotas[0].anchor.weekday'],
    [{ quotas: [{ ...MONTH, anchor: { time: '24:00' } }] }, 'rule.quotas[0].anchor.time'],
    [{ quotas: [MONTH, { ...MONTH, limit: 1 }] }, 'rule.quotas[1].name'],
    [{ limits: [{ ...limit, name: 'month' }], quotas: [MONTH] }, 'rule.quotas[0].name'],
    [{ quotas: { ...MONTH } }, 'rule.quotas'],
  ];
  for (const [rule, field] of faults) {
    test(`${field}: ${JSON.stringify(rule)}`, async (t) => {
      const { call } = await startAdminPlane(t);
      await call('POST', '/v1/projects', { body: { name: 'shop' } });
      const created = await call('POST', PATH, { body: { name: 'api', rule } });
      assert.deepEqual([created.status, created.json?.field], [400, field], created.text);
      assert.deepEqual((await call('GET', PATH)).json, { items: [], next: null });
    });
  }
});
