import assert from 'node:assert/strict';
import { cpSync, mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { waitFor } from '../support/wait-for.ts';
import { Guest } from '../systemd/guest.ts';
import { debianVersion, debPath, nextVersion, version } from './packages.ts';

const UNITS = ['brume.service', 'brume.socket', 'brume-management.socket', 'brume-admin.socket'];
const SLOW = '/etc/systemd/system/brume@.service.d/slow.conf';

describe('B64: the Debian package in a system that systemd has booted', () => {
  let guest: Guest;
  before(async () => {
    guest = await Guest.boot((tree) => {
      mkdirSync(join(tree, 'root'), { recursive: true });
      for (const deb of [debPath(), debPath(nextVersion)]) cpSync(deb, join(tree, 'root', basename(deb)));
    });
  });
  after(() => guest?.end());

  it('is enabled and started on installation, and listens on loopback only', async () => {
    await install(version);
    assert.deepEqual(
      await states('is-enabled'),
      UNITS.map(() => 'enabled'),
    );
    assert.deepEqual(
      await states('is-active'),
      UNITS.map(() => 'active'),
    );
    assert.equal((await guest.get('http://127.0.0.1:8600/ready')).status, 200);
    assert.equal((await guest.get('http://127.0.0.1:8610/ready')).status, 200);
    const listening = await guest.must('sh', '-c', "ss -H -ltn | awk '{ print $4 }' | sort");
    assert.equal(listening, '127.0.0.1:8600\n127.0.0.1:8610');
    await isWell();
  });

  it('keeps its state where only its user and root can read it', async () => {
    const stat = (path: string) => guest.must('stat', '-c', '%a %U:%G', path);
    assert.equal(await stat('/var/lib/brume'), '700 brume:brume');
    assert.equal(await stat('/etc/brume/brume.conf'), '640 root:brume');
    await guest.must('brume', 'project', 'create', 'kept');
  });

  it('serves by the new version when the upgrade is over, on the sockets that were there', async () => {
    const before = await guest.property('brume.socket', 'ActiveEnterTimestampMonotonic');
    await install(nextVersion);
    assert.equal(await servedVersion(), nextVersion);
    assert.equal(await guest.property('brume.socket', 'ActiveEnterTimestampMonotonic'), before);
    assert.match(await guest.must('brume', 'project', 'list'), /kept/);
    await isWell();
  });

  it('goes back by one version, and serves what the newer one wrote', async () => {
    await guest.must('brume', 'project', 'create', 'newer');
    const output = await install(version);
    assert.match(output, new RegExp(`going back from ${debianVersion(nextVersion)} to ${debianVersion()}`));
    assert.equal(await servedVersion(), version);
    assert.match(await guest.must('brume', 'project', 'list'), /kept[\s\S]*newer/);
  });

  it('stops when it is removed, and starts with its data when it is installed again', async () => {
    await guest.must('dpkg', '--remove', 'brume');
    assert.equal(await guest.must('ss', '-H', '-ltn'), '');
    assert.equal((await guest.run('ls', '/run/brume/admin.sock')).exitCode, 2);
    await install(version);
    assert.match(await guest.must('brume', 'project', 'list'), /kept[\s\S]*newer/);
  });

  it('stays disabled on an upgrade where an administrator has disabled it', async () => {
    await guest.must('systemctl', 'disable', '--now', ...UNITS);
    await install(nextVersion);
    assert.deepEqual(
      await states('is-enabled'),
      UNITS.map(() => 'disabled'),
    );
    assert.equal(await guest.must('ss', '-H', '-ltn'), '');
  });

  it('stays stopped on an upgrade where it was stopped, and enabled', async () => {
    await guest.must('systemctl', 'enable', '--now', ...UNITS);
    await guest.must('systemctl', 'stop', 'brume.service');
    await install(version);
    assert.deepEqual(
      await states('is-active'),
      UNITS.map(() => 'inactive'),
    );
    assert.deepEqual(
      await states('is-enabled'),
      UNITS.map(() => 'enabled'),
    );
  });

  it('leaves the sockets open, and the service to the first connection, where they alone are enabled', async () => {
    await guest.must('systemctl', 'disable', 'brume.service');
    await guest.must('systemctl', 'start', 'brume.socket', 'brume-management.socket', 'brume-admin.socket');
    const since = await guest.property('brume.socket', 'ActiveEnterTimestampMonotonic');
    await install(nextVersion);
    assert.deepEqual(await states('is-enabled'), ['disabled', 'enabled', 'enabled', 'enabled']);
    assert.deepEqual(await states('is-active'), ['inactive', 'active', 'active', 'active']);
    assert.equal(await guest.property('brume.socket', 'ActiveEnterTimestampMonotonic'), since);
    assert.equal((await guest.get('http://127.0.0.1:8600/ready')).status, 200);
    assert.equal(await servedVersion(), nextVersion);
  });

  it('is replaced by the new version where it runs although it is disabled', async () => {
    await install(version);
    assert.equal(await servedVersion(), version);
    assert.deepEqual(await states('is-enabled'), ['disabled', 'enabled', 'enabled', 'enabled']);
    await guest.must('systemctl', 'enable', 'brume.service');
  });

  it('is tried at once with the new version where it waits to be tried again', async () => {
    await guest.write('/etc/brume/brume.conf', 'BRUME_NO_SUCH_SETTING=1\n');
    await guest.run('systemctl', 'restart', 'brume.service');
    await guest.write('/etc/brume/brume.conf', '# mended\n');
    await install(nextVersion);
    assert.equal(await servedVersion(), nextVersion);
  });

  it('stays masked on an upgrade, without a complaint, and starts once it is unmasked', async () => {
    await guest.must('systemctl', 'mask', '--now', 'brume.service');
    await install(version);
    assert.deepEqual(await states('is-enabled'), ['masked', 'enabled', 'enabled', 'enabled']);
    assert.equal(await guest.must('ss', '-H', '-ltn'), '');
    await isWell();
    await guest.must('systemctl', 'unmask', 'brume.service');
    await guest.must('systemctl', 'start', 'brume.service');
    assert.equal(await servedVersion(), version);
  });

  it('is stopped, and no failure, when somebody stops it in the middle of an upgrade', async () => {
    await slowDown();
    const upgrade = guest.run('dpkg', '-i', `/root/${basename(debPath(nextVersion))}`);
    await isStarting();
    await guest.must('systemctl', 'stop', 'brume.service');
    const { exitCode, stdout, stderr } = await upgrade;
    assert.equal(exitCode, 0, stdout + stderr);
    assert.match(stderr, /brume\.service was stopped meanwhile, and stays so/);
    assert.doesNotMatch(stdout + stderr, /could not be started/);
    assert.equal((await guest.run('pgrep', '-u', 'brume')).stdout, '');
    await isWell();
    await speedUp();
    await guest.must('systemctl', 'start', 'brume.service');
    assert.equal(await servedVersion(), nextVersion);
  });

  it('leaves nothing running when it is removed in the middle of a reload', async () => {
    await slowDown();
    await guest.must('systemctl', 'reload', '--no-block', 'brume.service');
    await isStarting();
    await guest.must('dpkg', '--remove', 'brume');
    assert.equal((await guest.run('pgrep', '-u', 'brume')).stdout, '');
    assert.equal(await guest.must('ss', '-H', '-ltn'), '');
    await speedUp();
  });

  it('starts on installation where an administrator has masked it or one of its planes beforehand, so far', async () => {
    await guest.must('systemctl', 'mask', 'brume-management.socket');
    await install(version);
    assert.equal((await guest.get('http://127.0.0.1:8600/ready')).status, 200);
    assert.equal((await guest.get('http://127.0.0.1:8610/ready')).status, 0);
    await guest.must('systemctl', 'unmask', 'brume-management.socket');
    await guest.must('dpkg', '--remove', 'brume');
    await guest.must('systemctl', 'mask', 'brume.service');
    await install(version);
    assert.equal(await guest.must('ss', '-H', '-ltn'), '');
    await guest.must('systemctl', 'unmask', 'brume.service');
    await isWell();
  });

  it('purges what is Brume’s in a mount point, and leaves that and what is others’, twice', async () => {
    await guest.must('sh', '-c', 'rm -rf /var/lib/brume; mkdir /var/lib/brume');
    await guest.must('mount', '-t', 'tmpfs', 'tmpfs', '/var/lib/brume');
    await guest.must('systemctl', 'start', 'brume.service');
    assert.match(await guest.must('ls', '/var/lib/brume'), /brume\.sqlite/);
    await guest.must('touch', '/var/lib/brume/others');
    await guest.must('dpkg', '--purge', 'brume');
    await guest.must('dpkg', '--purge', 'brume');
    assert.equal(await guest.must('ls', '-A', '/var/lib/brume'), 'others');
    await guest.must('umount', '/var/lib/brume');
    await guest.must('rmdir', '/var/lib/brume');
  });

  it('purges nothing that is mounted below the state directory, and names it, twice', async () => {
    await install(version);
    await guest.must(
      'sh',
      '-c',
      `set -e
      mkdir -p /srv/backups/empty '/var/lib/brume/a b/[x]' /var/lib/brume/bound /var/lib/brume/other /var/lib/brume/own
      touch /srv/backups/file /var/lib/brume/own/file
      mount --bind /srv/backups /var/lib/brume/bound
      mount --bind /srv/backups '/var/lib/brume/a b/[x]'
      mount -t tmpfs tmpfs /var/lib/brume/other
      touch /var/lib/brume/other/file`,
    );
    const { exitCode, stdout, stderr } = await guest.run('dpkg', '--purge', 'brume');
    assert.equal(exitCode, 0, stderr);
    assert.match(stdout + stderr, /stays in \/var\/lib\/brume:\n {2}a b\n {2}bound\n {2}other\n/);
    await guest.must('dpkg', '--purge', 'brume');
    assert.equal(
      await guest.must('sh', '-c', 'cd /var/lib/brume && ls -A . bound other "a b/[x]"'),
      '.:\na b\nbound\nother\n\na b/[x]:\nempty\nfile\n\nbound:\nempty\nfile\n\nother:\nfile',
    );
    await guest.must('sh', '-c', "umount /var/lib/brume/bound /var/lib/brume/other '/var/lib/brume/a b/[x]'");
    await guest.must('rm', '-r', '/var/lib/brume');
  });

  it('purges what is Brume’s where a symbolic link leads, and the link, and names what stays', async () => {
    await guest.must('mkdir', '/srv/state');
    await guest.must('ln', '-s', '/srv/state', '/var/lib/brume');
    await install(version);
    assert.match(await guest.must('ls', '/srv/state'), /brume\.sqlite/);
    await guest.must('mkdir', '-p', '/srv/state/others/brume.sqlite');
    const { exitCode, stdout, stderr } = await guest.run('dpkg', '--purge', 'brume');
    assert.equal(exitCode, 0, stderr);
    assert.match(stdout + stderr, /stays in \/srv\/state:\n {2}others\n/);
    assert.equal(
      await guest.must('ls', '-A', '/srv/state', '/srv/state/others'),
      '/srv/state:\nothers\n\n/srv/state/others:\nbrume.sqlite',
    );
    assert.equal((await guest.run('test', '-L', '/var/lib/brume')).exitCode, 1);
  });

  it('purges nothing of the system where a symbolic link leads to /, on which it does not start', async () => {
    const listed = () => guest.must('sh', '-c', 'ls -A /; stat -c "%U:%G %a" /');
    await guest.must('ln', '-s', '/', '/var/lib/brume');
    const before = await listed();
    await guest.must('dpkg', '-i', `/root/${basename(debPath())}`);
    // Which of them, depends on where the start that is not repeated was ended.
    assert.match(await guest.property('brume@blue.service', 'ActiveState'), /^(inactive|failed)$/);
    await guest.must('dpkg', '--purge', 'brume');
    await guest.must('systemctl', 'reset-failed');
    assert.equal(await listed(), before);
  });

  it('leaves nothing running and nothing behind when it is purged, twice', async () => {
    await install(version);
    await guest.must('dpkg', '--purge', 'brume');
    await guest.must('dpkg', '--purge', 'brume');
    assert.equal(
      await guest.must('sh', '-c', 'ss -H -ltn; ls -d /etc/brume /var/lib/brume 2>/dev/null || true'),
      '',
    );
    const found = await guest.must('find', '/etc/systemd', '/var/lib/systemd', '-name', '*brume*');
    assert.equal(found, '');
    await isWell();
  });

  async function install(ofVersion: string): Promise<string> {
    const { exitCode, stdout, stderr } = await guest.run(
      'dpkg',
      '-i',
      `/root/${basename(debPath(ofVersion))}`,
    );
    assert.equal(exitCode, 0, stdout + stderr);
    assert.doesNotMatch(stdout + stderr, /could not be started|failed|error/i);
    return stdout + stderr;
  }

  /** From now on a process never gets beyond the beginning of its start. */
  async function slowDown(): Promise<void> {
    await guest.write(SLOW, '[Service]\nExecStartPre=+/bin/sh -c "touch /run/starting; sleep 300"\n');
    await guest.must('systemctl', 'daemon-reload');
  }

  async function isStarting(): Promise<void> {
    await waitFor(
      'it to start',
      async () => (await guest.run('test', '-e', '/run/starting')).exitCode === 0,
      { timeoutMs: 120_000, everyMs: 100 },
    );
  }

  async function speedUp(): Promise<void> {
    await guest.must('rm', SLOW, '/run/starting');
    await guest.must('systemctl', 'daemon-reload');
  }

  async function states(question: 'is-enabled' | 'is-active'): Promise<string[]> {
    return (await guest.run('systemctl', question, ...UNITS)).stdout.trim().split('\n');
  }

  async function servedVersion(): Promise<unknown> {
    return JSON.parse(await guest.must('brume', 'status', '--json')).version;
  }

  async function isWell(): Promise<void> {
    const failed = await guest.must('systemctl', '--failed', '--no-legend', '--plain');
    assert.equal(failed, '', await guest.journal());
  }
});
