import assert from 'node:assert/strict';
import { request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import Fastify from 'fastify';
import { jsonAnswer } from '../../../src/planes/hooks/json-answer.ts';
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
    const app = Fastify();
    t.after(() => {
      app.server.closeAllConnections();
      return app.close();
    });
    app.get('/', async (_, reply) => reply.send(jsonAnswer(reply, json, ENTRIES)));
    await app.listen({ path: socketPath });
    assert.deepEqual(JSON.parse(await readSlowly(socketPath)), json);
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
