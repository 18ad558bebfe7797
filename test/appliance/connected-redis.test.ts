import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { test } from 'node:test';
import { startBrume } from '../support/brume-process.ts';
import { call } from '../support/http-call.ts';
import { startRedis } from '../support/redis-server.ts';
import { waitFor } from '../support/wait-for.ts';

/** Longer than what else is left of a start by then. */
const CONNECTING_MS = 500;

test('a start is over only once Redis can be asked, so that nobody who waits for it goes unjudged', async (t) => {
  const redis = await startRedis();
  t.after(() => redis.stop());
  const slow = createServer((near) => {
    const far = connect(Number(new URL(redis.url).port), '127.0.0.1');
    near.pause();
    const passing = setTimeout(() => near.pipe(far).pipe(near), CONNECTING_MS);
    for (const socket of [near, far]) socket.on('error', () => undefined);
    near.on('close', () => {
      clearTimeout(passing);
      far.destroy();
    });
  });
  slow.listen(0, '127.0.0.1');
  await once(slow, 'listening');
  t.after(() => slow.close());
  const address = slow.address();
  if (address === null || typeof address === 'string') throw new Error('no port');

  const brume = await startBrume({ BRUME_REDIS_URL: `redis://127.0.0.1:${address.port}` });
  t.after(() => brume.stop());
  const { body } = await call(`${brume.url}/ready`);
  assert.equal(JSON.parse(body).status, 'ready', body);
});

test('what is amiss with Redis is told once it serves', async (t) => {
  const redis = await startRedis();
  t.after(() => redis.stop());
  const brume = await startBrume({ BRUME_REDIS_URL: redis.url });
  t.after(() => brume.stop());

  await waitFor('the warning', () => brume.log().includes('"warning":"no_persistence"'));
  const [served, told] = ['"msg":"ready"', '"warning":'].map((text) => brume.log().indexOf(text));
  assert.ok(Number(served) < Number(told), brume.log());
});
