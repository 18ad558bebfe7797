import assert from 'node:assert/strict';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import Fastify from 'fastify';
import { jsonAnswer } from '../../../src/planes/hooks/json-answer.ts';
import { LONG_ANSWERS_MAX, LongAnswers } from '../../../src/planes/hooks/long-answers.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const ENTRIES = 20_000;
const REASONS = ['plain ASCII', 'Zoë', '"Zoë" 🚀', 'число', '🚀'.repeat(20)];
/** By this the kernel's buffers are full, and the server has to wait for whoever reads. */
const UNREAD_MS = 50;

for (const reason of REASONS) {
  test(`a long answer comes to its end where it is read slowly and says ${reason}`, {
    timeout: 30_000,
  }, async (t) => {
    const json = { items: Array.from({ length: ENTRIES }, (_, number) => ({ number, reason })), next: null };
    const socketPath = join(temporaryDirectory(t), 'http.sock');
    const app = Fastify().decorate('longAnswers', new LongAnswers());
    t.after(() => {
      app.server.closeAllConnections();
      return app.close();
    });
    app.get('/', async (_, reply) => reply.send(jsonAnswer(reply, json, ENTRIES)));
    await app.listen({ path: socketPath });
    assert.deepEqual(JSON.parse(await readSlowly(socketPath)), json);
  });
}

test('so many long answers are open at a time; those to changes, and short ones, are never refused', {
  timeout: 30_000,
}, async (t) => {
  const socketPath = join(temporaryDirectory(t), 'http.sock');
  const app = Fastify().decorate('longAnswers', new LongAnswers());
  t.after(() => {
    app.server.closeAllConnections();
    return app.close();
  });
  const items = Array.from({ length: ENTRIES }, () => 'of a project with very many exceptions');
  app.get('/long', async (_, reply) => reply.send(jsonAnswer(reply, { items }, ENTRIES)));
  app.get('/short', async (_, reply) => reply.send(jsonAnswer(reply, { items: [1] }, 1)));
  app.put('/long', async (_, reply) =>
    reply.send(jsonAnswer(reply, { items }, ENTRIES, { isOfChange: true })),
  );
  await app.listen({ path: socketPath });
  const ask = (method: string, path: string) => begun(socketPath, { method, path });

  const standing = [];
  for (let at = 0; at < LONG_ANSWERS_MAX; at++) standing.push(await ask('GET', '/long'));
  assert.ok(standing.every(({ statusCode }) => statusCode === 200));
  const refused = await ask('GET', '/long');
  assert.deepEqual([refused.statusCode, JSON.parse(await text(refused)).code], [429, 'throttled_export']);
  assert.equal((await ask('GET', '/short')).statusCode, 200);
  const changed = await ask('PUT', '/long');
  assert.deepEqual(JSON.parse(await text(changed)), { items });

  standing[0]?.destroy();
  const [, read] = standing;
  if (read !== undefined) assert.deepEqual(JSON.parse(await text(read)), { items });
  while ((await ask('HEAD', '/long')).statusCode !== 200) await delay(5);
  assert.equal((await ask('GET', '/long')).statusCode, 200);
});

/** The answer, of which nothing was read but its head. */
function begun(socketPath: string, { method, path }: { method: string; path: string }) {
  return new Promise<IncomingMessage>((resolve, reject) => {
    request({ socketPath, agent: false, method, path }, resolve).on('error', reject).end();
  });
}

function readSlowly(socketPath: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const call = request({ socketPath, agent: false }, async (answer) => {
      await delay(UNREAD_MS);
      text(answer).then(resolve, reject);
    });
    call.on('error', reject).end();
  });
}
