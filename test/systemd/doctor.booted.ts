import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Diagnosis, Finding } from '../integration/doctor/diagnosis.ts';
import { Guest } from './guest.ts';
import { serving, startAnew } from './started-brume.ts';

/** The machine on which the guest runs may not let it have many open files. */
const CONFIGURATION = 'BRUME_CONNECTIONS_MAX=1000\n';

let guest: Guest;
before(async () => {
  guest = await Guest.boot();
});
after(() => guest?.end());

async function doctor(...behind: string[]): Promise<Diagnosis> {
  const { exitCode, stdout, stderr } = await guest.run(...behind, 'brume', 'doctor', '--json');
  assert.equal(stderr, '');
  return { exitCode, ...JSON.parse(stdout) };
}

/** All that is neither well nor left to be tried by hand. */
function amiss({ findings }: Diagnosis): string[] {
  return findings
    .filter(({ state, check }: Finding) => state !== 'ok' && check !== 'proxy-trust')
    .map(({ state, check, text }) => `${state} ${check}: ${text}`);
}

test('of what is installed and serves, root is told that all is well', async () => {
  await startAnew(guest, CONFIGURATION);
  const diagnosis = await doctor();
  assert.deepEqual(amiss(diagnosis), []);
  assert.equal(diagnosis.exitCode, 0);
  const { pid } = (await serving(guest)) ?? {};
  assert.ok(diagnosis.findings.some(({ text }) => text.includes(`process ${pid} on`)));
});

test('of what is stopped too, and it stays stopped', async () => {
  await startAnew(guest, CONFIGURATION);
  await guest.must('systemctl', 'stop', 'brume.service');
  const diagnosis = await doctor();
  assert.equal(diagnosis.exitCode, 0);
  assert.match(amiss(diagnosis)[0] ?? '', /^warning service: Brume does not run/);
  assert.equal(await guest.property('brume.service', 'ActiveState'), 'inactive');
  assert.equal(await serving(guest), undefined);
});

test('stores that secrets of systemd name are those that are looked at, while it serves and when it is stopped', async () => {
  const path = '/etc/credstore/brume_redis_url';
  await guest.write(path, 'redis://127.0.0.1:1', '0600');
  try {
    await startAnew(guest, CONFIGURATION);
    const refused = /^failure stores: BRUME_REDIS_URL: .*ECONNREFUSED/;
    const whileServing = amiss(await doctor());
    assert.ok(
      whileServing.some((text) => refused.test(text)),
      whileServing.join('\n'),
    );
    assert.ok(!whileServing.some((text) => /by the settings that are seen here/.test(text)));
    await guest.must('systemctl', 'stop', 'brume.service');
    assert.ok(amiss(await doctor()).some((text) => refused.test(text)));
  } finally {
    await guest.must('rm', path);
  }
});

test('a user without rights is told what could not be seen, and nothing else is held against Brume', async () => {
  await startAnew(guest, CONFIGURATION);
  const { exitCode, findings } = await doctor('setpriv', '--reuid=65534', '--regid=65534', '--clear-groups');
  assert.equal(exitCode, 0);
  assert.ok(
    findings.every(({ state }) => state === 'ok' || state === 'unseen'),
    JSON.stringify(findings, null, 1),
  );
  assert.ok(findings.some(({ check, state }) => check === 'service' && state === 'unseen'));
  assert.ok(findings.some(({ text }) => /BRUME_LISTEN 127\.0\.0\.1:8600: Brume .* answers/.test(text)));
});

test('a configuration that the service may not read is told', async () => {
  await startAnew(guest, CONFIGURATION);
  await guest.must('chown', 'root:root', '/etc/brume/brume.conf');
  await guest.must('chmod', '0600', '/etc/brume/brume.conf');
  const texts = amiss(await doctor());
  assert.equal(texts.length, 1);
  assert.match(
    texts[0] ?? '',
    /failure permissions: .*brume, who runs Brume, may not read it \(mode 0600, of root\)/,
  );
});

test('what a unit and a setting say differently, and a socket that is switched off, are told once', async () => {
  await startAnew(guest, CONFIGURATION);
  await guest.must('systemctl', 'mask', '--now', 'brume-management.socket');
  await guest.must('systemctl', 'restart', 'brume.service');
  try {
    const masked = await doctor();
    assert.deepEqual(amiss(masked), []);
    assert.ok(masked.findings.some(({ text }) => /the management plane is switched off/.test(text)));
  } finally {
    await guest.must('systemctl', 'unmask', 'brume-management.socket');
  }
  await guest.must('systemctl', 'stop', 'brume.service');
  await guest.write('/etc/brume/brume.conf', `${CONFIGURATION}BRUME_LISTEN=127.0.0.1:8700\n`);
  const [told] = (await doctor()).findings.filter(({ text }) => text.includes('BRUME_LISTEN'));
  assert.equal(told?.state, 'failure');
  assert.match(told?.text ?? '', /brume\.socket opens 127\.0\.0\.1:8600 and \/run\/brume\/brume\.sock/);
  assert.match(
    told?.remedy ?? '',
    /systemctl edit brume\.socket .*ListenStream=, ListenStream=127\.0\.0\.1:8700, ListenStream=\/run\/brume\/brume\.sock/,
  );
});

test('a Brume whose admin socket alone was stopped runs, and the remedy brings it back', async () => {
  await startAnew(guest, CONFIGURATION);
  await guest.must('systemctl', 'stop', 'brume-admin.socket');
  const texts = amiss(await doctor());
  const { pid } = (await serving(guest)) ?? {};
  assert.match(
    texts[0] ?? '',
    new RegExp(`failure service: Brume serves, as process ${pid}, and nobody listens on its admin socket`),
  );
  assert.match(texts[1] ?? '', /failure listeners: BRUME_ADMIN_SOCKET .*brume-admin\.socket is stopped/);
  assert.equal(texts.length, 2, texts.join('\n'));
  await guest.must('sh', '-c', 'systemctl stop brume && systemctl start brume-admin.socket brume');
  assert.deepEqual(amiss(await doctor()), []);
});

test('sockets whose files were removed are told, and the remedy brings them back', async () => {
  await startAnew(guest, CONFIGURATION);
  for (const path of ['/run/brume/brume.sock', '/run/brume/admin.sock']) {
    await guest.must('rm', path);
    const told = (await doctor()).findings.filter(({ text }) =>
      text.includes(`${path}: the socket was removed`),
    );
    assert.deepEqual(
      told.map(({ state }) => state),
      ['failure'],
    );
    const remedy = /systemctl stop brume && systemctl start brume(?= )/.exec(told[0]?.remedy ?? '')?.[0];
    await guest.must('sh', '-c', remedy ?? 'false');
    assert.deepEqual(amiss(await doctor()), []);
  }
});

test('a secret that was emptied while Brume serves is told before the next start fails on it', async () => {
  const path = '/etc/credstore/brume_redis_url';
  await startAnew(guest, CONFIGURATION);
  await guest.write(path, '', '0600');
  try {
    const diagnosis = await doctor();
    assert.ok(
      amiss(diagnosis).some((text) =>
        /^failure configuration: The next start would fail: BRUME_REDIS_URL .*: the file is empty/.test(text),
      ),
      amiss(diagnosis).join('\n'),
    );
    assert.equal(diagnosis.exitCode, 78);
  } finally {
    await guest.must('rm', path);
  }
});

test('a link to nothing in place of the state directory, which systemd refuses, is told', async () => {
  await startAnew(guest, CONFIGURATION);
  await guest.must('systemctl', 'stop', 'brume.service');
  await guest.must('sh', '-c', 'mv /var/lib/brume /srv/brume && ln -s /srv/nowhere /var/lib/brume');
  const isTold = async () =>
    amiss(await doctor()).some((text) =>
      /^failure permissions: \/var\/lib\/brume: it is a link to \/srv\/nowhere, where no directory is/.test(
        text,
      ),
    );
  try {
    assert.equal(await isTold(), true);
    await guest.must('ln', '-sfn', '/srv/brume', '/var/lib/brume');
    assert.equal(await isTold(), false);
  } finally {
    await guest.must('sh', '-c', 'rm /var/lib/brume && mv /srv/brume /var/lib/brume');
  }
});

test('what everybody may read or write of the installation is told', async () => {
  await startAnew(guest, CONFIGURATION);
  await guest.write('/etc/credstore/brume_metrics_token', 'a-long-secret-of-our-own', '0644');
  await guest.write('/etc/brume/other.crt', '', '0666');
  await guest.must('chmod', '0777', '/etc/brume', '/var/lib/brume');
  await guest.must('chmod', '0666', '/run/brume/brume.sock');
  try {
    const texts = amiss(await doctor()).filter((text) => text.startsWith('failure permissions'));
    for (const told of [
      /BRUME_METRICS_TOKEN \/etc\/credstore\/brume_metrics_token: everybody on this machine can read it/,
      /\/etc\/brume\/other\.crt: everybody on this machine can write it/,
      /\/etc\/brume: everybody on this machine can replace what is in it/,
      /\/var\/lib\/brume: others than its owner can replace what is in it/,
      /\/run\/brume\/brume\.sock: everybody on this machine may use this socket/,
    ])
      assert.ok(
        texts.some((text) => told.test(text)),
        `${told}\n${texts.join('\n')}`,
      );
  } finally {
    await guest.must('rm', '-r', '/etc/credstore', '/etc/brume/other.crt');
    await guest.must('chmod', '0755', '/etc/brume');
    await guest.must('chmod', '0700', '/var/lib/brume');
    await guest.must('chmod', '0660', '/run/brume/brume.sock');
  }
});
