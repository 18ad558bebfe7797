import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { answerDeadline } from '../../../src/planes/hooks/answer-deadline.ts';
import { errorAnswers } from '../../../src/planes/hooks/error-answers.ts';
import { planeInstance } from '../../../src/planes/hooks/plane-instance.ts';
import { streamOf } from '../../../src/planes/hooks/streamed-answer.ts';
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

test('an answer that has begun may take longer than its route’s time, and one that begins too late is 503', async (t) => {
  const lines: string[] = [];
  const log = createLogger({ level: 'warn', stream: sinkInto(lines) });
  const app = planeInstance({ bodyMaxBytes: 1024, log });
  t.after(() => app.close());
  await app.register(errorAnswers, { log });
  await app.register(answerDeadline, { sweepMs: 2 });
  const isOverdue = () => delay(60);
  app.get('/long', { config: { timeoutMs: 10 } }, (_, reply) => {
    const portions = async function* () {
      yield 'one ';
      await isOverdue();
      yield 'two ';
      await isOverdue();
      yield 'three';
    };
    return reply.send(streamOf(reply, portions()));
  });
  app.get('/silent', { config: { timeoutMs: 10 } }, (_, reply) => {
    const portions = async function* () {
      await isOverdue();
      yield 'late';
    };
    return reply.send(streamOf(reply, portions()));
  });
  app.get('/broken', { config: { timeoutMs: 60_000 } }, (_, reply) => {
    const portions = async function* () {
      yield 'one ';
      throw new Error('the store is gone');
    };
    return reply.send(streamOf(reply, portions()));
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;

  const long = await call(`${url}/long`);
  assert.deepEqual([long.status, long.body], [200, 'one two three']);
  assert.equal((await call(`${url}/silent`)).status, 503);
  await assert.rejects(call(`${url}/broken`));
  assert.match(lines.join(''), /broke off.*the store is gone|the store is gone.*broke off/);
});

function sinkInto(lines: string[]): Writable {
  return new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(String(chunk));
      done();
    },
  });
}
