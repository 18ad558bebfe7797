import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '../support/wait-for.ts';
import { Guest } from './guest.ts';
import { SCRIPTS } from './installed-tree.ts';
import { logged, serving, startAnew } from './started-brume.ts';

const TOKEN = 'a-token-of-the-metrics-0123456789';

let guest: Guest;
before(async () => {
  guest = await Guest.boot();
});
after(() => guest?.end());

/** What the metrics answer to the token, and to another. */
async function metricsBy(token: string): Promise<number[]> {
  const ask = (text: string) =>
    guest.get('http://127.0.0.1:8610/metrics', { authorization: `Bearer ${text}` });
  return [(await ask(token)).status, (await ask(`${token}-wrong`)).status];
}

test('a secret can be given as a file in /etc/credstore, readable by root alone', async () => {
  await guest.write('/etc/credstore/brume_metrics_token', TOKEN, '0600');
  await startAnew(guest, 'BRUME_METRICS_ALLOW=none\n');
  assert.deepEqual(await metricsBy(TOKEN), [200, 401]);
  assert.doesNotMatch(await guest.journal(), new RegExp(TOKEN));
});

test('and as a file elsewhere, by a line in the unit', async () => {
  const dropIn = '/etc/systemd/system/brume@.service.d/token.conf';
  await guest.write('/root/token', `${TOKEN}-2`, '0600');
  await guest.write(dropIn, '[Service]\nLoadCredential=brume_metrics_token:/root/token\n');
  await guest.must('systemctl', 'daemon-reload');
  try {
    await startAnew(guest, 'BRUME_METRICS_ALLOW=none\n');
    assert.deepEqual(await metricsBy(`${TOKEN}-2`), [200, 401]);
  } finally {
    await guest.must('rm', dropIn);
    await guest.must('systemctl', 'daemon-reload');
  }
});

test('as the unit has it, names are resolved, its own directory is written to, and no other', async () => {
  await startAnew(guest, 'BRUME_LISTEN=localhost:8600\n');
  const { pid = '' } = (await serving(guest)) ?? {};
  const uid = await guest.must('id', '-u', 'brume');
  assert.match(
    await guest.must('cat', `/proc/${pid}/status`),
    new RegExp(`^Uid:\\t${uid}\\t[^]*^CapEff:\\t0+$[^]*^NoNewPrivs:\\t1$[^]*^Seccomp:\\t2$`, 'm'),
  );
  assert.equal(
    await guest.must(
      'find',
      '/',
      '-xdev',
      '-newer',
      '/etc/brume/brume.conf',
      '-user',
      'brume',
      '-type',
      'f',
      '-not',
      '-path',
      '/var/lib/brume/*',
      '-not',
      '-path',
      '/proc/*',
    ),
    '',
  );
});

test('B66: journald is restarted, and HUP comes, under traffic: every line is there once, and the process is the same', async () => {
  await startAnew(guest, 'BRUME_ACCESS_LOG=all\n');
  const first = await serving(guest);
  const callers = guest.callers(100, 6);
  for (let round = 0; round < 3; round++) {
    await delay(1000);
    await guest.must('systemctl', 'kill', '--signal=HUP', '--kill-whom=main', first?.unit ?? '');
    await guest.must('systemctl', 'restart', 'systemd-journald.service');
  }
  const { sent, ends } = await callers;
  assert.deepEqual(ends, { 200: sent });
  assert.deepEqual(await serving(guest), first);
  await guest.must('journalctl', '--sync');
  const lines = await logged(guest, first?.unit ?? '');
  const start = lines.findLastIndex(({ msg }) => msg === 'starting');
  const requests = lines
    .slice(start)
    .filter(({ msg }) => msg === 'request')
    .map(({ requestId }) => requestId);
  assert.equal(new Set(requests).size, requests.length, 'no line twice');
  assert.equal(requests.length, sent, 'no line is missing');
});

test('B66: the disk of the log is full: every request is answered, and every line is there once when it has room', async () => {
  await guest.must('mkdir', '-p', '/run/small');
  await guest.must('mount', '-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', '/run/small');
  await guest.must('chmod', '0777', '/run/small');
  const dropIn = '/etc/systemd/system/brume@.service.d/log.conf';
  await guest.write(
    dropIn,
    '[Service]\nStandardOutput=append:/run/small/log\nStandardError=journal\nReadWritePaths=/run/small\n',
  );
  await guest.must('systemctl', 'daemon-reload');
  try {
    await startAnew(guest, 'BRUME_ACCESS_LOG=all\n');
    await guest.run('sh', '-c', 'cat /dev/zero >/run/small/filler');
    const { sent, ends } = await guest.callers(100, 4);
    assert.deepEqual(ends, { 200: sent });
    assert.match(await guest.journal(), /the log can't be written and will be tried again: ENOSPC/);
    await guest.must('rm', '/run/small/filler');
    const requests = await waitFor('the lines', async () => {
      const text = await guest.must('cat', '/run/small/log');
      const found = [...text.matchAll(/"requestId":"([^"]+)"/g)].map(([, id]) => id);
      return found.length >= sent && found;
    });
    assert.equal(requests.length, sent);
    assert.equal(new Set(requests).size, sent);
  } finally {
    await guest.must('rm', dropIn);
    await guest.must('systemctl', 'daemon-reload');
  }
});

test('the scripts of the units are plain shell', () => {
  const scripts = SCRIPTS.map((name) => join(import.meta.dirname, '../../systemd', name));
  const { status, stdout } = spawnSync('shellcheck', ['--shell=sh', ...scripts], { encoding: 'utf8' });
  assert.equal(status, 0, stdout);
});

test('what the unit may do is rated at most 2.0 by systemd itself', async () => {
  const rating = await guest.run(
    'systemd-analyze',
    'security',
    '--no-pager',
    '--threshold=20',
    '--offline=yes',
    '/usr/lib/systemd/system/brume@.service',
  );
  assert.equal(rating.exitCode, 0, rating.stdout.slice(-200));
});

test('systemd finds nothing amiss in the units', async () => {
  const units = [
    'brume.service',
    'brume@blue.service',
    'brume.socket',
    'brume-management.socket',
    'brume-admin.socket',
  ];
  const { stdout, stderr } = await guest.run('systemd-analyze', 'verify', '--man=no', ...units);
  assert.equal(stdout + stderr, '');
});
