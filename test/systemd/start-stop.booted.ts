import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { waitFor } from '../support/wait-for.ts';
import { Guest } from './guest.ts';
import { logged, serving, startAnew } from './started-brume.ts';

const DATA = 'http://127.0.0.1:8600';
const SOCKETS = ['brume.socket', 'brume-management.socket', 'brume-admin.socket'];

let guest: Guest;
before(async () => {
  guest = await Guest.boot();
});
after(() => guest?.end());

test('a system that boots brings it up, and is well', async () => {
  assert.equal(await guest.property('brume.service', 'ActiveState'), 'active');
  assert.equal((await guest.get(`${DATA}/ready`)).status, 200);
});

test('B61: it serves every plane on the sockets that systemd opened, with their owners and modes', async () => {
  await startAnew(guest);
  assert.equal((await guest.get(`${DATA}/ready`)).status, 200);
  assert.equal((await guest.get('http://127.0.0.1:8610/ready')).status, 200);
  assert.match(await guest.must('brume', 'status'), /serving|ready/);
  const listed = await guest.must(
    'stat',
    '-c',
    '%n %U:%G %a',
    '/run/brume',
    ...['admin', 'brume'].map((name) => `/run/brume/${name}.sock`),
  );
  assert.deepEqual(listed.split('\n'), [
    '/run/brume root:root 755',
    '/run/brume/admin.sock root:brume-admin 660',
    '/run/brume/brume.sock root:brume-proxy 660',
  ]);
  assert.equal(await guest.must('stat', '-c', '%U:%G %a', '/var/lib/brume'), 'brume:brume 700');
});

test('however often the sockets are stopped and started, they start again, and Brume with them', async () => {
  await startAnew(guest);
  const sockets = SOCKETS.join(' ');
  // Twice what systemd puts up with in 10 s where nothing else is said.
  const loop = `for n in 1 2 3 4 5 6 7 8 9 10; do systemctl stop ${sockets}; systemctl start ${sockets}; done`;
  await guest.must('sh', '-ec', loop);
  await guest.must('systemctl', 'start', 'brume.service');
  for (const unit of SOCKETS) assert.equal(await guest.property(unit, 'ActiveState'), 'active', unit);
  assert.equal((await guest.get(`${DATA}/ready`)).status, 200);
});

test('the backlog is as long as the units say', async () => {
  await startAnew(guest);
  const backlogs = (await guest.must('ss', '--no-header', '-ltn', 'sport = 8600 or sport = 8610')).split(
    '\n',
  );
  assert.deepEqual(
    backlogs.map((line) => line.split(/\s+/)[2]),
    ['4096', '4096'],
  );
});

test('systemctl status says where it serves', async () => {
  await startAnew(guest);
  const { unit = '' } = (await serving(guest)) ?? {};
  assert.equal(await guest.property(unit, 'StatusText'), 'serving 127.0.0.1:8600 /run/brume/brume.sock');
});

test('neither the environment of the system nor a file makes it a bare Node.js', async () => {
  await guest.must(
    'systemctl',
    'set-environment',
    'NODE_OPTIONS=--inspect=127.0.0.1:9229',
    'PKG_EXECPATH=PKG_INVOKE_NODEJS',
  );
  try {
    await startAnew(guest);
    const { pid = '' } = (await serving(guest)) ?? {};
    const environment = await guest.must('cat', `/proc/${pid}/environ`);
    assert.doesNotMatch(environment, /NODE_OPTIONS|PKG_EXECPATH/);
    assert.equal((await guest.get('http://127.0.0.1:9229/json')).status, 0);
  } finally {
    await guest.must('systemctl', 'unset-environment', 'NODE_OPTIONS', 'PKG_EXECPATH');
  }
});

for (const action of ['restart', 'reload']) {
  test(`${action}: another process serves, and nobody who asks meanwhile is refused, cut off or answered with a fault`, async () => {
    await startAnew(guest);
    const first = await serving(guest);
    const callers = guest.callers(40, 8);
    await guest.must('systemctl', action, 'brume.service');
    const second = await serving(guest);
    assert.notEqual(second?.pid, first?.pid);
    const { sent, ends, slowestMs } = await callers;
    assert.deepEqual(ends, { 200: sent }, `slowest ${slowestMs} ms\n${await guest.journal()}`);
  });
}

test('a restart keeps what was counted in the embedded stores', async () => {
  await startAnew(guest);
  await guest.run('brume', 'project', 'create', 'shop');
  await guest.must('brume', 'namespace', 'create', 'shop', 'login', '--limit', '5', '--window', '1h');
  await guest.must('brume', 'limit', 'shop', 'login', 'alice');
  await guest.must('systemctl', 'reload', 'brume.service');
  const verdict = JSON.parse(await guest.must('brume', 'limit', 'shop', 'login', 'alice', '--json'));
  assert.equal(verdict.remaining, 3);
});

test('a stop ends with 0, refuses from then on, and stays one although somebody goes on asking', async () => {
  await startAnew(guest);
  const { unit = '' } = (await serving(guest)) ?? {};
  const callers = guest.callers(40, 4);
  await guest.must('systemctl', 'stop', 'brume.service');
  await callers;
  assert.equal((await guest.get(`${DATA}/health`)).status, 0);
  for (const name of [...SOCKETS, unit, 'brume.service']) {
    assert.equal(await guest.property(name, 'ActiveState'), 'inactive', name);
  }
  assert.equal(await guest.property(unit, 'ExecMainStatus'), '0');
  assert.equal((await logged(guest, unit)).at(-1)?.msg, 'stopped');
  assert.equal(await guest.must('find', '/run/brume', '-mindepth', '1'), '');
});

test('a drain that lasts longer than systemd would wait is given its time', async () => {
  const dropIn = '/etc/systemd/system/brume@.service.d/stop.conf';
  await guest.write(dropIn, '[Service]\nTimeoutStopSec=1\n');
  await guest.must('systemctl', 'daemon-reload');
  try {
    await startAnew(guest, 'BRUME_DRAIN_MS=20000\n');
    const { unit = '' } = (await serving(guest)) ?? {};
    // Idle: closed 3 s after the drain began.
    const idle = guest.run('bash', '-c', 'exec 3<>/dev/tcp/127.0.0.1/8600; cat <&3');
    await waitFor(
      'the connection',
      async () =>
        (await guest.must('ss', '--no-header', '-tn', 'state', 'established', 'sport = 8600')) !== '',
    );
    await guest.must('systemctl', 'stop', 'brume.service');
    await idle;
    assert.equal(await guest.property(unit, 'Result'), 'success');
    assert.equal((await logged(guest, unit)).at(-1)?.msg, 'stopped');
  } finally {
    await guest.must('rm', dropIn);
    await guest.must('systemctl', 'daemon-reload');
  }
});

test('with the sockets alone, the first connection starts it', async () => {
  await guest.must('systemctl', 'stop', 'brume.service');
  await guest.must('systemctl', 'start', ...SOCKETS);
  assert.equal(await guest.property('brume.service', 'ActiveState'), 'inactive');
  assert.equal((await guest.get(`${DATA}/ready`)).status, 200);
  await waitFor(
    'the start to be over',
    async () => (await guest.property('brume.service', 'ActiveState')) === 'active',
  );
});

test('a masked management plane is not served, and everything else is', async () => {
  await guest.must('systemctl', 'mask', '--quiet', '--now', 'brume-management.socket');
  try {
    await startAnew(guest);
    assert.equal((await guest.get('http://127.0.0.1:8610/ready')).status, 0);
    assert.equal((await guest.get(`${DATA}/ready`)).status, 200);
  } finally {
    await guest.must('systemctl', 'unmask', '--quiet', 'brume-management.socket');
  }
});

test('isolating the target that wants it leaves it alone', async () => {
  await startAnew(guest);
  await guest.must('systemctl', 'isolate', 'multi-user.target');
  assert.equal((await guest.get(`${DATA}/ready`)).status, 200);
});

test('a shutdown stops it and is not held up', async () => {
  await startAnew(guest);
  await guest.must('systemctl', 'poweroff', '--no-block');
  // systemd would wait for 45 s before it kills.
  await guest.hasEnded(30_000);
});
