import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Guest } from './guest.ts';
import { logged, serving, startAnew } from './started-brume.ts';
import { assertServes, colourIn, hold, letHold, release } from './states.ts';

let guest: Guest;
let configuration: string;
let databaseUrl: string;
before(async () => {
  guest = await Guest.boot();
  const stores = await guest.startStores();
  const { redisUrl } = stores;
  databaseUrl = stores.databaseUrl;
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

test('a database that a newer Brume has made unfit for this one: the reload says so, and the process before it serves on', async () => {
  await startAnew(guest, configuration);
  const first = await serving(guest);
  await guest.query(
    databaseUrl,
    `insert into schema_migrations (version, name, sha256, is_breaking, applied_at)
     values (9999, 'of-another-version', repeat('0', 64), 1, 0)`,
  );
  try {
    assert.notEqual((await guest.run('systemctl', 'reload', 'brume.service')).exitCode, 0);
    assert.match(
      await guest.journal('brume.service'),
      /go up to \d+, the database's up to 9999(.*\n)+?.*goes on serving/,
    );
    assert.deepEqual(await serving(guest), first);
    assert.equal((await guest.get('http://127.0.0.1:8600/ready')).status, 200);
  } finally {
    await guest.query(databaseUrl, 'delete from schema_migrations where version = 9999');
  }
  await guest.must('systemctl', 'reload', 'brume.service');
  assert.notDeepEqual(await serving(guest), first);
});

test('B61: without PostgreSQL, and with no snapshot of it, a start fails with the reason, and comes by itself later', async () => {
  await startAnew(guest, configuration);
  await guest.must('systemctl', 'stop', 'brume.service');
  await guest.write('/etc/brume/brume.conf', configuration.replace(/:\d+\/postgres/, ':1/postgres'));
  assert.notEqual((await guest.run('systemctl', 'start', 'brume.service')).exitCode, 0);
  assert.match(await guest.journal('brume.service'), /BRUME_DATABASE_URL: PostgreSQL does not answer/);
  assert.equal(await serving(guest), undefined);
  await guest.write('/etc/brume/brume.conf', configuration);
  await assertServes(guest);
});

test('a process that is to end is killed: the other serves, and it is not started again', async () => {
  await startAnew(guest, configuration);
  const { unit = '' } = (await serving(guest)) ?? {};
  await letHold(guest);
  await hold(guest, 'stop');
  await guest.must('systemctl', '--no-block', 'reload', 'brume.service');
  assert.equal(await colourIn(guest, 'stop'), unit);
  await guest.must('systemctl', 'kill', '--signal=KILL', '--kill-whom=main', unit);
  await release(guest);
  await assertServes(guest);
  assert.notEqual((await serving(guest))?.unit, unit);
});
