import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { waitFor } from '../support/wait-for.ts';
import { Guest } from '../systemd/guest.ts';
import { nextVersion, rpmPath, version } from './packages.ts';

const UNITS = ['brume.service', 'brume.socket', 'brume-management.socket', 'brume-admin.socket'];

/**
 * The guest has no rpm. What rpm does is done by hand, in its order: unpacking, and the package's own scripts
 * with the number of instances that will be left.
 */
describe('B64: the RPM package in a system that systemd has booted', () => {
  let guest: Guest;
  before(async () => {
    guest = await Guest.boot((tree) => {
      mkdirSync(join(tree, 'root'), { recursive: true });
      for (const each of [version, nextVersion]) {
        execFileSync('sh', [
          '-c',
          'rpm2archive - <"$1" >"$2"',
          'sh',
          rpmPath(each),
          join(tree, archive(each)),
        ]);
      }
    });
  });
  after(() => guest?.end());

  it('is neither started nor enabled on installation', async () => {
    await script('PREIN', version, 1);
    await unpack(version);
    await script('POSTIN', version, 1);
    assert.deepEqual(
      await states('is-enabled'),
      UNITS.map(() => 'disabled'),
    );
    assert.deepEqual(
      await states('is-active'),
      UNITS.map(() => 'inactive'),
    );
  });

  it('serves once an administrator has enabled and started it', async () => {
    await guest.must('systemctl', 'enable', '--now', ...UNITS);
    assert.equal((await guest.get('http://127.0.0.1:8600/ready')).status, 200);
    await guest.must('brume', 'project', 'create', 'kept');
    await isWell();
  });

  for (const [to, from] of [
    [nextVersion, version],
    [version, nextVersion],
  ] as const) {
    it(`serves by ${to === version ? 'the version before' : 'the new version'} when the upgrade is over, on the sockets that were there`, async () => {
      const since = await guest.property('brume.socket', 'ActiveEnterTimestampMonotonic');
      const output = await replace(from, to);
      assert.doesNotMatch(output, /could not be started/);
      assert.equal(JSON.parse(await guest.must('brume', 'status', '--json')).version, to);
      assert.equal(await guest.property('brume.socket', 'ActiveEnterTimestampMonotonic'), since);
      assert.match(await guest.must('brume', 'project', 'list'), /kept/);
      assert.deepEqual(
        await states('is-enabled'),
        UNITS.map(() => 'enabled'),
      );
      await isWell();
    });
  }

  it('stays stopped on an upgrade where it was stopped', async () => {
    await guest.must('systemctl', 'stop', ...UNITS);
    await replace(version, nextVersion);
    assert.deepEqual(
      await states('is-active'),
      UNITS.map(() => 'inactive'),
    );
  });

  it('stays masked on an upgrade, without a complaint', async () => {
    await guest.must('systemctl', 'mask', 'brume.service');
    assert.equal(await replace(nextVersion, version), '');
    assert.deepEqual(await states('is-enabled'), ['masked', 'enabled', 'enabled', 'enabled']);
    assert.equal(await guest.must('ss', '-H', '-ltn'), '');
    await guest.must('systemctl', 'unmask', 'brume.service');
  });

  it('leaves the sockets open, and the service to the first connection, where they alone are enabled', async () => {
    await guest.must('systemctl', 'disable', 'brume.service');
    await guest.must('systemctl', 'start', 'brume.socket', 'brume-management.socket', 'brume-admin.socket');
    await replace(version, nextVersion);
    assert.deepEqual(await states('is-enabled'), ['disabled', 'enabled', 'enabled', 'enabled']);
    assert.deepEqual(await states('is-active'), ['inactive', 'active', 'active', 'active']);
    assert.equal((await guest.get('http://127.0.0.1:8600/ready')).status, 200);
    assert.equal(JSON.parse(await guest.must('brume', 'status', '--json')).version, nextVersion);
  });

  it('is stopped and disabled when it is erased, also in the middle of a reload', async () => {
    const dropIn = '/etc/systemd/system/brume@.service.d/slow.conf';
    await guest.write(dropIn, '[Service]\nExecStartPre=+/bin/sh -c "touch /run/starting; sleep 300"\n');
    await guest.must('systemctl', 'daemon-reload');
    await guest.must('systemctl', 'reload', '--no-block', 'brume.service');
    await waitFor('it', async () => (await guest.run('test', '-e', '/run/starting')).exitCode === 0);
    await script('PREUN', nextVersion, 0);
    assert.equal(await guest.must('ss', '-H', '-ltn'), '');
    assert.equal((await guest.run('pgrep', '-u', 'brume')).stdout, '');
    await guest.must('rm', '-r', '/etc/systemd/system/brume@.service.d');
    const files = execFileSync('rpm', ['-qp', '--nosignature', '--list', rpmPath(nextVersion)], {
      encoding: 'utf8',
    });
    const units = files.split('\n').filter((path) => path.startsWith('/usr/lib/systemd/system/'));
    await guest.must('rm', ...units);
    await script('POSTUN', nextVersion, 0);
    assert.equal(await guest.must('find', '/etc/systemd', '-name', '*brume*'), '');
    assert.equal(await guest.property('brume.service', 'LoadState'), 'not-found');
    await isWell();
  });

  async function replace(from: string, to: string): Promise<string> {
    const before = await script('PREIN', to, 2);
    await unpack(to);
    const after = await script('POSTIN', to, 2);
    return [before, after, await script('PREUN', from, 1), await script('POSTUN', from, 1)].join('');
  }

  async function script(
    tag: 'PREIN' | 'POSTIN' | 'PREUN' | 'POSTUN',
    of: string,
    left: number,
  ): Promise<string> {
    const text = execFileSync('rpm', ['-qp', '--nosignature', '--qf', `%{${tag}}`, rpmPath(of)], {
      encoding: 'utf8',
    });
    const { exitCode, stdout, stderr } = await guest.run('sh', '-c', text, 'sh', String(left));
    assert.equal(exitCode, 0, stdout + stderr);
    return stdout + stderr;
  }

  async function unpack(of: string): Promise<void> {
    await guest.must('tar', '-xzf', `/${archive(of)}`, '-C', '/', '--keep-directory-symlink');
  }

  async function states(question: 'is-enabled' | 'is-active'): Promise<string[]> {
    return (await guest.run('systemctl', question, ...UNITS)).stdout.trim().split('\n');
  }

  async function isWell(): Promise<void> {
    const failed = await guest.must('systemctl', '--failed', '--no-legend', '--plain');
    assert.equal(failed, '', await guest.journal());
  }
});

function archive(of: string): string {
  return `root/brume-${of}.tgz`;
}
