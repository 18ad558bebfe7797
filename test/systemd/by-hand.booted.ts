import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Guest } from './guest.ts';
import { startAnew } from './started-brume.ts';

const CONFIGURATION = 'BRUME_CONNECTIONS_MAX=1000\n';
const STATE = '/var/lib/brume';

let guest: Guest;
before(async () => {
  guest = await Guest.boot();
});
after(() => guest?.end());

async function stopped(): Promise<void> {
  await startAnew(guest, CONFIGURATION);
  await guest.must('systemctl', 'stop', 'brume.service');
}

/** Files in the state directory that are not the service's. */
async function foreign(): Promise<string> {
  return guest.must('find', STATE, '!', '-user', 'brume');
}

test('root’s commands on the embedded stores leave nothing that the service can’t open', async () => {
  await stopped();
  await guest.must('brume', 'migrate');
  await guest.must('brume', 'backup', '/root/one.backup');
  assert.equal(await guest.must('stat', '-c', '%U %a', '/root/one.backup'), 'root 600');
  await guest.must('sh', '-c', 'brume backup - >/root/two.backup');
  await guest.must('brume', 'restore', '--replace', '/root/one.backup');
  await guest.must('sh', '-c', 'brume restore --replace - </root/two.backup');
  assert.equal(await foreign(), '');
  // Nothing is there: the directory is made as systemd makes it.
  await guest.must('rm', '-r', STATE);
  await guest.must('brume', 'migrate');
  assert.equal(await foreign(), '');
  assert.equal(await guest.must('stat', '-c', '%a', STATE), '700');
  await guest.must('rm', '-r', STATE);
  await guest.must('brume', 'restore', '/root/one.backup');
  assert.equal(await foreign(), '');
  await guest.must('systemctl', 'start', 'brume.service');
  assert.deepEqual(JSON.parse(await guest.must('brume', 'project', 'list', '--json')), { items: [] });
});

test('commands by hand take the stores of the service’s credentials, and say so', async () => {
  await stopped();
  await guest.write('/etc/credstore/brume_database_url', 'postgres://127.0.0.1:1/brume', '0600');
  try {
    for (const command of [['migrate'], ['backup', '/root/x'], ['restore', '/root/one.backup']]) {
      const { exitCode, stderr } = await guest.run('brume', ...command);
      assert.equal(exitCode, 1);
      assert.match(
        stderr,
        /ECONNREFUSED.*\nStores: PostgreSQL 127\.0\.0\.1:1\/brume \(BRUME_DATABASE_URL: systemd credential brume_database_url, read from \/etc\/credstore\/brume_database_url\);/,
      );
    }
    const { stdout } = await guest.run('brume', 'check-config');
    assert.match(stdout, /^BRUME_DATABASE_URL +\(set, not shown\) +systemd credential brume_database_url/m);
    const hidden = await guest.run(
      'setpriv',
      '--reuid=brume',
      '--regid=brume',
      '--clear-groups',
      'brume',
      'migrate',
    );
    assert.equal(hidden.exitCode, 78);
    assert.match(hidden.stderr, /\/etc\/credstore: this user may not look there/);
  } finally {
    await guest.must('rm', '-r', '/etc/credstore');
  }
  assert.match(await guest.must('brume', 'migrate'), /Stores: the embedded database in \/var\/lib\/brume/);
});

test('variables of a drop-in count, and one that a credential has encrypted is not passed over', async () => {
  await stopped();
  const dropIn = '/etc/systemd/system/brume@.service.d/override.conf';
  const settings = 'Environment=BRUME_STATE_DIR=/var/lib/other "BRUME_DRAIN_MS=7"';
  const sealed = 'LoadCredentialEncrypted=brume_redis_url:/etc/sealed';
  await guest.write(dropIn, `[Service]\n${settings}\n${sealed}\n`);
  await guest.must('systemctl', 'daemon-reload');
  try {
    const { stdout } = await guest.run('brume', 'check-config');
    assert.match(stdout, /^BRUME_DRAIN_MS +7 +Environment= of brume@\.service$/m);
    await guest.write('/etc/sealed', 'sealed', '0600');
    const { exitCode, stderr } = await guest.run('brume', 'backup', '/root/x');
    assert.equal(exitCode, 78);
    assert.match(stderr, /BRUME_REDIS_URL .*systemd-run .*LoadCredentialEncrypted=brume_redis_url brume/);
  } finally {
    await guest.must('rm', '-rf', '/etc/sealed', dropIn);
    await guest.must('systemctl', 'daemon-reload');
  }
});
