import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBrume } from '../../support/brume-process.ts';
import { startCollector } from '../../support/otlp-collector.ts';

test('a check and a change are traced down to the stores, and sent before the process ends', async (t) => {
  const collector = await startCollector(t);
  const brume = await startBrume({
    BRUME_OTLP_ENDPOINT: `${collector.url}/v1/traces`,
    BRUME_OTLP_HEADERS: 'x-tenant=a%20b, authorization=Bearer%20hush',
    BRUME_TRACE_SAMPLE: '1',
    BRUME_ACCESS_LOG: 'all',
  });
  t.after(() => brume.stop());
  await brume.json('project', 'create', 'shop');
  await brume.json('namespace', 'create', 'shop', 'login', '--limit', '5', '--window', '1m');
  const { key } = (await brume.json('key', 'create', 'shop', 'web')) as { key: string };
  const answer = await fetch(`${brume.url}/v1/limit`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify({ namespace: 'login', identifier: 'ann' }),
  });
  assert.equal(answer.status, 200);
  await brume.stop();

  const check = collector.sole('POST /v1/limit');
  const below = collector.spans.filter(({ parentSpanId }) => parentSpanId === check.spanId);
  assert.deepEqual(below.map(({ name }) => name).sort(), ['counters check', 'keys find']);
  const change = collector.spans.find(({ name }) => name.startsWith('POST') && name.includes('keys'));
  const parts = collector.spans.filter(({ traceId }) => traceId === change?.traceId).map(({ name }) => name);
  assert.ok(
    parts.includes('sql transaction') && parts.some((name) => name.startsWith('sql insert ')),
    `${parts}`,
  );
  assert.equal(collector.path, '/v1/traces');
  assert.deepEqual([collector.headers['x-tenant'], collector.headers.authorization], ['a b', 'Bearer hush']);
  assert.ok(brume.log().includes(check.traceId));
  assert.doesNotMatch(brume.log(), /hush|"level":"warn"/);
  assert.ok(!collector.text.includes(key) && !/\bann\b|values \(/.test(collector.text));
});

test('a collector that hangs holds up no check, and the end no longer than the drain may take', async (t) => {
  const collector = await startCollector(t);
  collector.status = undefined;
  const brume = await startBrume({
    BRUME_OTLP_ENDPOINT: collector.url,
    BRUME_TRACE_SAMPLE: '1',
    BRUME_DRAIN_MS: '1000',
  });
  t.after(() => brume.stop());
  for (let n = 0; n < 20; n++) assert.equal((await fetch(`${brume.url}/health`)).status, 200);
  assert.equal(await brume.stop(), 0);
  assert.match(brume.log(), /traces could not be sent/);
});
