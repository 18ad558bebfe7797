import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Guest } from './guest.ts';
import { logged, serving, startAnew } from './started-brume.ts';

let guest: Guest;
let configuration: string;
before(async () => {
  guest = await Guest.boot();
  const { databaseUrl, redisUrl } = await guest.startStores();
  configuration = `BRUME_DATABASE_URL=${databaseUrl}\nBRUME_REDIS_URL=${redisUrl}\n`;
});
after(() => guest?.end());

test('a reload: the next process is ready before the last one is told to stop, and nobody who asks meets a fault', async () => {
  await startAnew(guest, configuration);
  const first = await serving(guest);
  const callers = guest.callers(40, 8);
  await guest.must('systemctl', 'reload', 'brume.service');
  const second = await serving(guest);
  assert.notEqual(second?.unit, first?.unit);
  const { sent, ends } = await callers;
  assert.deepEqual(ends, { 200: sent }, await guest.journal());

  const timeOf = async (unit = '', text: string): Promise<number> => {
    const line = (await logged(guest, unit)).findLast(({ msg }) => msg === text);
    return Date.parse(String(line?.time));
  };
  const [isReadyMs, isToldMs] = [
    await timeOf(second?.unit, 'ready'),
    await timeOf(first?.unit, 'signal to stop'),
  ];
  assert.ok(isReadyMs <= isToldMs, `ready at ${isReadyMs}, told at ${isToldMs}`);
});

test('a start that fails leaves the process before it serving', async () => {
  await startAnew(guest, configuration);
  const first = await serving(guest);
  // It is refused only once the store has been asked.
  await guest.write(
    '/etc/brume/brume.conf',
    `${configuration.replace(/:\d+\/postgres/, ':1/postgres')}BRUME_SNAPSHOT_MAX_AGE=0\n`,
  );
  assert.notEqual((await guest.run('systemctl', 'reload', 'brume.service')).exitCode, 0);
  assert.deepEqual(await serving(guest), first);
  assert.equal((await guest.get('http://127.0.0.1:8600/ready')).status, 200);
});
