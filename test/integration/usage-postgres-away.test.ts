import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createTenant } from '../support/admin-socket.ts';
import { startBrume } from '../support/brume-process.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { startRelay } from '../support/relay.ts';

const RULE = { limits: [{ algorithm: 'fixed_window', limit: 100_000_000, windowMs: 3_600_000 }] };
const CUTS = 6;
const WRITTEN_WITHIN_MS = 20_000;

test('usage is whole, and nothing is in it twice, after PostgreSQL was cut off in the middle of writing, again and again', async (t) => {
  const database = await createTestDatabase();
  t.after(() => database.drop());
  const target = new URL(database.url);
  const relay = await startRelay(Number(target.port));
  t.after(() => relay.stop());
  const brume = await startBrume({
    BRUME_DATABASE_URL: Object.assign(target, { port: String(relay.port) }).href,
    BRUME_SQL_TIMEOUT_MS: '400',
    BRUME_USAGE_WRITE_MS: '100',
  });
  t.after(() => brume.stop());
  const socket = brume.settings.BRUME_ADMIN_SOCKET ?? '';
  const namespaces = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`n${n}`, RULE]));
  const key = await createTenant(socket, 'shop', namespaces);

  let [asked, isAsking] = [0, true];
  const asking = (async () => {
    while (isAsking) {
      const checks = Object.keys(namespaces).map((namespace) => ({ namespace, identifier: 'ann', cost: 3 }));
      const answer = await fetch(`${brume.url}/v1/limit/batch`, {
        method: 'POST',
        headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
        body: JSON.stringify({ checks }),
      });
      assert.equal(answer.status, 200);
      assert.equal(((await answer.json()) as { success: boolean }).success, true);
      asked += checks.length;
    }
  })();
  for (let cut = 0; cut < CUTS; cut++) {
    // At another moment of a round each time.
    await delay(250 + cut * 17);
    relay.swallow();
    await delay(600);
    relay.passAgain();
  }
  isAsking = false;
  await asking;
  const onRecord = async () => {
    const [row] = await database.query(
      `select sum(allowed)::int as allowed, sum(denied)::int as denied, sum(cost)::int as cost
       from usage where step = 'day'`,
    );
    return row;
  };
  const endMs = performance.now() + WRITTEN_WITHIN_MS;
  while (Number((await onRecord())?.allowed) < asked && performance.now() < endMs) await delay(50);
  // A round or two more, in which nothing may be added.
  await delay(500);
  assert.deepEqual(await onRecord(), { allowed: asked, denied: 0, cost: asked * 3 });
  assert.match(brume.log(), /usage can not be written; it waits in memory/);
  assert.match(brume.log(), /usage is written again/);
});
