import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsedMetrics } from '../../support/parsed-metrics.ts';
import { startAdminPlane, window } from '../admin/admin-harness.ts';

const SCRAPER =
  'application/openmetrics-text;version=1.0.0;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.1';

test('the metrics come as text, or as OpenMetrics for a scraper that accepts it, with the same numbers', async (t) => {
  const admin = await startAdminPlane(t);
  await admin.call('POST', '/v1/projects', { body: { name: 'shop' } });
  for (let round = 0; round < 2; round++) {
    const text = await admin.text('/metrics');
    assert.equal(text.status, 200);
    assert.equal(text.headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8');
    assert.equal(text.headers.vary, 'accept');
    const open = await admin.text('/metrics', { accept: SCRAPER });
    assert.equal(open.headers['content-type'], 'application/openmetrics-text; version=1.0.0; charset=utf-8');
    const ofText = parsedMetrics(text.text, 'prometheus').get('brume_requests_total');
    const ofOpen = parsedMetrics(open.text, 'openmetrics').get('brume_requests');
    const created = 'brume_requests_total{plane="admin",route="/v1/projects",status="2xx"}';
    assert.equal(ofText?.samples.get(created), 1);
    assert.equal(ofOpen?.samples.get(created), 1);
  }
});

test('the snapshot, the key cache, the counters and the checkpoints are in it', async (t) => {
  const admin = await startAdminPlane(t);
  await admin.call('POST', '/v1/projects', { body: { name: 'shop' } });
  await admin.call('POST', '/v1/projects/shop/namespaces', { body: { name: 'api', rule: window(5) } });
  await admin.call('POST', '/v1/projects/shop/limit', { body: { namespace: 'api', identifier: 'ann' } });
  const families = parsedMetrics((await admin.text('/metrics')).text, 'prometheus');
  const single = (name: string) => families.get(name)?.samples.get(name);
  assert.equal(single('brume_snapshot_namespaces'), 1);
  assert.equal(single('brume_snapshot_revision'), admin.state.snapshot.state().revision);
  assert.equal(single('brume_snapshot_stale'), 0);
  assert.equal(single('brume_embedded_identifiers'), 1);
  assert.equal(single('brume_embedded_refusals_total'), 0);
  assert.equal(single('brume_quota_checkpoints_pending'), 0);
  assert.equal(families.get('brume_key_cache_entries')?.samples.size, 2);
  assert.ok(!families.has('brume_redis_calls_total'));
  assert.ok(!families.has('brume_sql_connections'));
});

test('a namespace that is deleted frees its lines at the next reading', async (t) => {
  const admin = await startAdminPlane(t);
  const of = async () =>
    parsedMetrics((await admin.text('/metrics')).text, 'prometheus').get('brume_verdicts_total')?.samples
      .size;
  await admin.call('POST', '/v1/projects', { body: { name: 'shop' } });
  await admin.call('POST', '/v1/projects/shop/namespaces', { body: { name: 'api', rule: window(5) } });
  await admin.call('POST', '/v1/projects/shop/limit', { body: { namespace: 'api', identifier: 'ann' } });
  assert.equal(await of(), 2);
  await admin.call('DELETE', '/v1/projects/shop/namespaces/api');
  assert.equal(await of(), 0);
});
