import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { waitFor } from '../support/wait-for.ts';
import { Guest } from './guest.ts';
import { OutsideStores } from './outside-stores.ts';
import { serving, startAnew } from './started-brume.ts';
import { assertServes, DATA } from './states.ts';

const ARRIVING = { timeoutMs: 60_000, everyMs: 200 };

let guest: Guest;
let stores: OutsideStores;
let key: string;
before(async () => {
  [guest, stores] = await Promise.all([Guest.boot(), OutsideStores.start()]);
  await stores.letIn(guest);
  await startAnew(guest, stores.configuration);
});
after(async () => {
  await guest?.end();
  await stores?.stop();
});

async function ready(): Promise<Readonly<Record<string, unknown>>> {
  const { status, body } = await guest.get(`${DATA}/ready`);
  assert.equal(status, 200, body);
  return JSON.parse(body);
}

async function verdict(namespace: string): Promise<Readonly<Record<string, unknown>>> {
  const { status, body } = await guest.post(
    `${DATA}/v1/limit`,
    { namespace, identifier: 'alice' },
    { 'x-api-key': key },
  );
  assert.equal(status, 200, body);
  return JSON.parse(body);
}

test('a boot without PostgreSQL and Redis serves by what is on disk and by each namespace’s policy, and is whole by itself when they come', async () => {
  await guest.must('brume', 'project', 'create', 'shop');
  for (const policy of ['open', 'closed']) {
    const rule = ['--limit', '5', '--window', '1h', '--on-store-failure', policy];
    await guest.must('brume', 'namespace', 'create', 'shop', policy, ...rule);
  }
  ({ key } = JSON.parse(await guest.must('brume', 'key', 'create', 'shop', 'client', '--json')));
  assert.equal((await verdict('open')).remaining, 4);
  assert.equal((await verdict('closed')).remaining, 4);

  await guest.reboot();
  await assertServes(guest);
  const first = await serving(guest);
  const { status, snapshot } = await ready();
  assert.equal(status, 'degraded');
  assert.equal((snapshot as { source?: unknown }).source, 'disk');
  const [open, closed] = [await verdict('open'), await verdict('closed')];
  assert.deepEqual([open.success, open.degraded], [true, true]);
  assert.deepEqual([closed.success, closed.degraded], [false, true]);
  assert.notEqual((await guest.run('brume', 'project', 'create', 'late')).exitCode, 0);

  await stores.letIn(guest);
  await waitFor('it to be whole', async () => (await ready()).status === 'ready', ARRIVING);
  for (const namespace of ['open', 'closed']) {
    const { remaining, degraded } = await verdict(namespace);
    assert.deepEqual([remaining, degraded], [3, false], namespace);
  }
  await guest.must('brume', 'project', 'create', 'late');
  assert.deepEqual(await serving(guest), first, 'the same process');
});
