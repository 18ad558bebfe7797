import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { systemClock } from '../../../src/limiter/clock.ts';
import { createLogger } from '../../../src/telemetry/log.ts';
import { OtelTracing } from '../../../src/telemetry/tracing/otel-tracing.ts';
import { startTracing } from '../../../src/telemetry/tracing/start-tracing.ts';
import type { RequestTrace } from '../../../src/telemetry/tracing/tracing.ts';
import { freePort } from '../../support/free-port.ts';
import { type OtlpCollector, startCollector } from '../../support/otlp-collector.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';
const sampled = `00-${TRACE}-${PARENT}-01`;
const unsampled = `00-${TRACE}-${PARENT}-00`;

function tracingTo(endpoint: string, options: { sampleRatio?: number; nowMs?: () => number } = {}) {
  const lines: Record<string, unknown>[] = [];
  const stream = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) };
  const tracing = new OtelTracing({
    endpoint,
    headers: { authorization: 'Bearer hush' },
    sampleRatio: options.sampleRatio ?? 1,
    version: '1.2.3',
    log: createLogger({ level: 'debug', stream }),
    clock: options.nowMs === undefined ? systemClock : { monotonicMs: options.nowMs },
    random: () => 0.5,
  });
  const ask = (traceparent?: string, isTrusted = true, tracestate?: string) =>
    tracing.startRequest({ method: 'POST', traceparent, tracestate, isTrusted });
  return { tracing, lines, ask };
}

const end = (trace: RequestTrace | undefined, name = 'POST /v1/limit') =>
  trace?.end({ name, attributes: { 'brume.degraded': false }, isFault: false });

async function collected(t: TestContext, sampleRatio = 1) {
  const collector: OtlpCollector = await startCollector(t);
  return { collector, ...tracingTo(collector.url, { sampleRatio }) };
}

test('without an endpoint there is no tracing', async () => {
  const config = { otlpEndpoint: null, otlpHeaders: null, traceSample: 1 };
  const log = createLogger({ level: 'error' });
  assert.equal(await startTracing(config, { clock: systemClock, log, version: '1' }), undefined);
});

test('a request and what it calls arrive at the collector as one trace', async (t) => {
  const { collector, tracing, ask } = await collected(t);
  const trace = ask();
  const answer = await new Promise((resolve) =>
    trace?.run(() => resolve(tracing.within('outer', {}, () => tracing.within('inner', {}, async () => 42)))),
  );
  end(trace);
  await tracing.close(5000);

  assert.equal(answer, 42);
  const root = collector.sole('POST /v1/limit');
  assert.equal(root.parentSpanId, undefined);
  assert.equal(root.traceId, trace?.traceId);
  assert.deepEqual(root.attributes, { 'http.request.method': 'POST', 'brume.degraded': false });
  assert.equal(collector.sole('outer').parentSpanId, root.spanId);
  assert.equal(collector.sole('inner').parentSpanId, collector.sole('outer').spanId);
  assert.equal(collector.path, '/v1/traces');
  assert.equal(collector.headers.authorization, 'Bearer hush');
  assert.deepEqual(collector.resource, { 'service.name': 'brume', 'service.version': '1.2.3' });
});

test('what fails is a fault without its text, and fails as before', async (t) => {
  const { collector, tracing, ask } = await collected(t);
  const trace = ask();
  const fault = Object.assign(new Error('no such user: ann'), { code: 'store_unavailable' });
  const failing = new Promise((resolve) =>
    trace?.run(() => resolve(tracing.within('failing', {}, () => Promise.reject(fault)))),
  );
  await assert.rejects(failing, fault);
  end(trace);
  await tracing.close(5000);
  const { isFault, attributes } = collector.sole('failing');
  assert.deepEqual([isFault, attributes], [true, { 'error.type': 'store_unavailable' }]);
  assert.doesNotMatch(collector.text, /ann/);
});

test("a trusted peer's trace is continued, recorded or not as the peer has decided", async (t) => {
  const { collector, tracing, ask } = await collected(t, 0);
  const recorded = ask(sampled, true, 'vendor=1');
  const known = ask(unsampled);
  assert.deepEqual([recorded?.traceId, known?.traceId], [TRACE, TRACE]);
  end(recorded, 'recorded');
  end(known, 'known');
  await tracing.close(5000);
  assert.deepEqual(
    collector.spans.map(({ name, traceId, parentSpanId }) => [name, traceId, parentSpanId]),
    [['recorded', TRACE, PARENT]],
  );
  assert.match(collector.text, /vendor=1/);
});

test("anybody else's trace has no say, and is a link from ours", async (t) => {
  const never = await collected(t, 0);
  assert.equal(never.ask(sampled, false), undefined);
  await never.tracing.close(5000);

  const { collector, tracing, ask } = await collected(t, 1);
  end(ask(unsampled, false));
  await tracing.close(5000);
  const { traceId, parentSpanId, links } = collector.sole('POST /v1/limit');
  assert.notEqual(traceId, TRACE);
  assert.deepEqual([parentSpanId, links], [undefined, [TRACE]]);
});

test('what is no trace context counts as none', async (t) => {
  const { tracing, ask } = await collected(t, 0);
  const zeros = '0'.repeat(32);
  for (const text of ['', 'x', `00-${zeros}-${PARENT}-01`, `${sampled}, ${sampled}`, '00-'.repeat(10_000)]) {
    assert.equal(ask(text), undefined, text.slice(0, 80));
  }
  await tracing.close(5000);
});

test('callers can have at most 1,000 traces recorded in a second', async (t) => {
  const collector = await startCollector(t);
  let nowMs = 0;
  const { tracing, ask } = tracingTo(collector.url, { sampleRatio: 0, nowMs: () => nowMs });
  const count = (requests: number) => {
    for (let n = 0; n < requests; n++) end(ask(sampled));
  };
  count(1500);
  nowMs = 1000;
  count(1);
  await tracing.close(5000);
  assert.equal(collector.spans.length, 1001);
});

test('what outlasts its request is no part of its trace', async (t) => {
  const { collector, tracing, ask } = await collected(t);
  const trace = ask();
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const outlasting = new Promise<void>((done) =>
    trace?.run(() => void late.then(() => tracing.within('late', {}, async () => undefined)).then(done)),
  );
  end(trace);
  resolve();
  await outlasting;
  await tracing.close(5000);
  assert.deepEqual(
    collector.spans.map(({ name }) => name),
    ['POST /v1/limit'],
  );
});

test('a collector that is away, refuses or hangs costs one line in the log and no fault', async (t) => {
  const refusing = await startCollector(t);
  refusing.status = 500;
  const hanging = await startCollector(t);
  hanging.status = undefined;
  const away = `http://127.0.0.1:${await freePort()}`;
  const reasons: Record<string, RegExp> = {
    [refusing.url]: /status 500/,
    [hanging.url]: /ended before the collector answered/,
    [away]: /ECONNREFUSED/,
  };
  for (const [endpoint, reason] of Object.entries(reasons)) {
    const { tracing, lines, ask } = tracingTo(endpoint);
    for (let n = 0; n < 1000; n++) end(ask());
    await tracing.close(200);
    assert.deepEqual(
      lines.map(({ level, msg }) => [level, msg]),
      [['warn', 'traces could not be sent to BRUME_OTLP_ENDPOINT']],
    );
    assert.match(String(lines[0]?.reason), reason);
    assert.doesNotMatch(JSON.stringify(lines), /hush/);
  }
});

test('what finds no room in the queue is dropped', async (t) => {
  const hanging = await startCollector(t);
  hanging.status = undefined;
  const { tracing, ask } = tracingTo(hanging.url);
  for (let n = 0; n < 20_000; n++) end(ask());
  hanging.status = 200;
  await tracing.close(5000);
  assert.ok(hanging.spans.length <= 2048 + 512, String(hanging.spans.length));
});
