import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { answerDeadline } from '../../../src/planes/hooks/answer-deadline.ts';
import { errorAnswers } from '../../../src/planes/hooks/error-answers.ts';
import { planeInstance } from '../../../src/planes/hooks/plane-instance.ts';
import { createLogger } from '../../../src/telemetry/log.ts';
import { call } from '../../support/http-call.ts';

test('an answer that never comes is 503 once its route’s time is up, others are left alone', async (t) => {
  const log = createLogger({ level: 'error' });
  const app = planeInstance({ bodyMaxBytes: 1024, log });
  t.after(() => app.close());
  await app.register(errorAnswers, { log });
  await app.register(answerDeadline, { sweepMs: 5 });
  let finish = (_answer: string) => {};
  const whenAsked = () => new Promise<string>((resolve) => (finish = resolve));
  app.get('/never', { config: { timeoutMs: 20 } }, () => new Promise<string>(() => {}));
  app.get('/late', { config: { timeoutMs: 60_000 } }, whenAsked);
  await app.listen({ port: 0, host: '127.0.0.1' });
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;

  const late = call(`${url}/late`);
  const never = await call(`${url}/never`);
  assert.deepEqual([never.status, JSON.parse(never.body).code], [503, 'store_unavailable']);
  finish('done');
  assert.deepEqual([(await late).status, (await late).body], [200, 'done']);
});
