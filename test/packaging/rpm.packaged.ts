import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { PackagedFile } from '../../scripts/packaging/contents.ts';
import { packageFiles } from '../../scripts/packaging/package-files.ts';
import { writeRpm } from '../../scripts/packaging/rpm.ts';
import { freePort } from '../support/free-port.ts';
import { nextVersion, rpmPath, version } from './packages.ts';
import { type RpmRoot, rpmRoot } from './rpm-root.ts';

const root = join(import.meta.dirname, '../..');
/** As administrators know it. */
const CONFIGURATION = '/etc/brume/brume.conf';
const UNITS = ['brume.socket', 'brume-management.socket', 'brume-admin.socket', 'brume.service'];

describe('the RPM package', () => {
  for (const architecture of ['x86_64', 'aarch64']) {
    it(`of ${architecture} is without fault to rpmlint, save for what is excused`, () => {
      const excuses = ['--rpmlintrc', join(root, 'packaging/rpm/rpmlintrc')];
      const found = spawnSync('rpmlint', [...excuses, rpmPath(version, architecture)], { encoding: 'utf8' });
      assert.match(found.stdout, / 0 errors, 0 warnings/, found.stdout + found.stderr);
    });

    it(`of ${architecture} needs no newer libraries than those of EL 8`, () => {
      const required = query('--requires', rpmPath(version, architecture));
      const newest = (prefix: string) =>
        Math.max(
          ...[...required.matchAll(new RegExp(`\\(${prefix}_\\d+\\.([\\d.]+)\\)`, 'g'))].map((found) =>
            Number(found[1]),
          ),
        );
      assert.ok(newest('GLIBC') <= 28, required);
      const cxx = [...required.matchAll(/\(GLIBCXX_3\.4\.(\d+)\)/g)].map((found) => Number(found[1]));
      assert.ok(cxx.length > 0 && Math.max(...cxx) <= 25, required);
      assert.match(required, /^rpmlib\(PayloadIsXz\)/m);
    });
  }

  it('holds the same files as the Debian package, but for those of each format', () => {
    const files = query('--list', rpmPath()).trim().split('\n');
    for (const path of [
      '/usr/bin/brume',
      '/usr/lib/brume/switch',
      '/usr/lib/systemd/system/brume.service',
      '/usr/lib/systemd/system-preset/90-brume.preset',
      '/usr/share/man/man1/brume.1.gz',
      '/usr/share/zsh/site-functions/_brume',
      '/usr/share/doc/brume/sbom.cdx.json',
    ]) {
      assert.ok(files.includes(path), path);
    }
    const licences = query('--licensefiles', rpmPath())
      .trim()
      .split('\n')
      .map((path) => basename(path));
    assert.deepEqual(licences, ['LICENSE', 'NODE-LICENSE.gz', 'THIRD-PARTY.md.gz']);
    assert.deepEqual(query('--configfiles', rpmPath()).trim(), CONFIGURATION);
  });
});

describe('B64: the RPM package in a scratch root', () => {
  const ends: (() => void)[] = [];
  let scratch: RpmRoot;
  let port: number;
  let directory: string;
  before(async () => {
    scratch = await rpmRoot({ after: (end: () => void) => ends.push(end) });
    directory = mkdtempSync(join(tmpdir(), 'brume-rpm-test-'));
    ends.push(() => rmSync(directory, { recursive: true, force: true }));
    port = await freePort();
  });
  after(() => {
    for (const end of ends) end();
  });

  it('is installed by dnf, starts nothing and enables nothing', async () => {
    const output = await install(rpmPath());
    assert.doesNotMatch(output, /error|warning|fail/i);
    assert.equal(await scratch.must('brume version'), `brume ${version}`);
    assert.deepEqual(await enabled(), []);
  });

  it('makes the user and the groups, and what lies there is as the package says', async () => {
    const verified = await scratch.rpm('--verify', 'brume');
    assert.deepEqual(verified, { exitCode: 0, output: '' });
    assert.equal(await scratch.must(`stat -c '%a %U:%G' ${CONFIGURATION}`), '640 root:brume');
    assert.equal(
      await scratch.must(`stat -c '%a %U:%G' /etc/brume /usr/bin/brume`),
      '755 root:root\n755 root:root',
    );
    assert.match(await scratch.must('getent passwd brume'), /:\/var\/lib\/brume:\/usr\/sbin\/nologin$/);
    assert.match(
      await scratch.must('getent group brume-proxy brume-admin'),
      /^brume-proxy:.*:\nbrume-admin:.*:$/,
    );
  });

  it('tells a file that was changed, or is another user’s', async () => {
    await scratch.must(
      'cp -p /usr/lib/brume/stop /root/stop; echo >>/usr/lib/brume/stop; chown brume /usr/lib/brume/switch',
    );
    const { output } = await scratch.rpm('--verify', 'brume');
    assert.match(output, /^S.5.{6} +\/usr\/lib\/brume\/stop$/m);
    assert.match(output, /^.{5}U.{3} +\/usr\/lib\/brume\/switch$/m);
    await scratch.must('cp -p /root/stop /usr/lib/brume/stop; chown root /usr/lib/brume/switch');
  });

  it('lays a new example beside an edited configuration, which no stranger can read either', async () => {
    await scratch.must(
      `printf 'BRUME_LISTEN=127.0.0.1:${port}\nBRUME_MANAGEMENT_LISTEN=off\n' >>${CONFIGURATION}`,
    );
    await scratch.must(`systemctl --quiet enable ${UNITS.join(' ')}`);
    await scratch.must('install -d -o brume -g brume -m 700 /var/lib/brume');
    await whileServing('brume project create kept');
    const edited = await scratch.must(`cat ${CONFIGURATION}`);
    await install(withAnotherExample());
    assert.equal(await scratch.must(`cat ${CONFIGURATION}`), edited);
    assert.match(await scratch.must(`tail -n 1 ${CONFIGURATION}.rpmnew`), /^# Another example/);
    assert.equal(await scratch.must(`stat -c '%a %U:%G' ${CONFIGURATION}.rpmnew`), '640 root:brume');
  });

  it('keeps configuration, enabled units and data on an upgrade', async () => {
    const [user, edited] = [await scratch.must('id brume'), await scratch.must(`cat ${CONFIGURATION}`)];

    await install(rpmPath(nextVersion));
    assert.equal(await scratch.must('brume version'), `brume ${nextVersion}`);
    assert.deepEqual(
      [await scratch.must('id brume'), await scratch.must(`cat ${CONFIGURATION}`)],
      [user, edited],
    );
    assert.equal(await scratch.must(`stat -c '%a %U:%G' ${CONFIGURATION}`), '640 root:brume');
    assert.deepEqual(await enabled(), [...UNITS].sort());
    assert.match(await whileServing('brume project list; brume project create newer'), /kept/);
    await scratch.must(`rm -f ${CONFIGURATION}.rpmnew`);
  });

  it('goes back by one version, and serves what the newer one wrote', async () => {
    await scratch.mustDnf(directory, '--nogpgcheck', '--disablerepo=*', 'downgrade', rpmPath());
    assert.equal(await scratch.must('brume version'), `brume ${version}`);
    assert.match(await whileServing('brume project list'), /kept[\s\S]*newer/);
  });

  it('leaves an edited configuration, data and the user when it is erased', async () => {
    const edited = await scratch.must(`cat ${CONFIGURATION}`);
    await scratch.mustDnf(directory, 'remove', 'brume');
    assert.equal((await scratch.run('command -v brume')).exitCode, 1);
    assert.equal(await scratch.must(`cat ${CONFIGURATION}.rpmsave`), edited);
    assert.equal(await scratch.must(`stat -c '%a %U:%G' ${CONFIGURATION}.rpmsave`), '640 root:brume');
    await scratch.must('id brume; [ -n "$(ls /var/lib/brume)" ]');
    assert.deepEqual(await enabled(), []);
    const left = await scratch.must(
      "find / -xdev -path /root -prune -o -path /proc -prune -o -path /var/lib/brume -prune -o -path '/var/*/dnf' -prune -o -name '*brume*' -print",
    );
    assert.deepEqual(left.split('\n').sort(), ['/etc/brume', `${CONFIGURATION}.rpmsave`]);
  });

  it('installs anew after that, with the configuration as it comes, on the data that is there', async () => {
    await install(rpmPath());
    assert.deepEqual(await scratch.rpm('--verify', 'brume'), { exitCode: 0, output: '' });
    assert.doesNotMatch(await scratch.must(`cat ${CONFIGURATION}`), /^BRUME_LISTEN/m);
    await scratch.must(`cp -p ${CONFIGURATION}.rpmsave ${CONFIGURATION}`);
    assert.match(await whileServing('brume project list'), /kept/);
  });

  it('leaves nothing of itself where nothing was edited and no data is', async () => {
    await scratch.must(`rm -rf ${CONFIGURATION}.rpmsave /var/lib/brume`);
    await scratch.mustDnf(directory, '--nogpgcheck', '--disablerepo=*', 'reinstall', rpmPath());
    await scratch.must(`rm ${CONFIGURATION}`);
    await scratch.mustDnf(directory, '--nogpgcheck', '--disablerepo=*', 'reinstall', rpmPath());
    await scratch.mustDnf(directory, 'remove', 'brume');
    for (const path of [
      '/etc/brume',
      '/usr/lib/brume',
      '/usr/share/doc/brume',
      '/usr/share/licenses/brume',
      '/usr/share/fish',
    ]) {
      assert.equal(existsSync(join(scratch.tree, path)), false, path);
    }
  });

  /** Of a file, which nobody signed: repositories are another test's matter. */
  function install(rpm: string): Promise<string> {
    return scratch.mustDnf(directory, '--nogpgcheck', '--disablerepo=*', 'install', rpm);
  }

  async function enabled(): Promise<string[]> {
    const found = await scratch.must("find /etc/systemd/system -name 'brume*' -printf '%f\\n' | sort");
    return found === '' ? [] : found.split('\n');
  }

  /** The package with another brume.conf and, for speed, another executable in it; between this version and the next. */
  function withAnotherExample(): string {
    const [workDir, outDir] = [join(directory, 'work'), join(directory, 'out')];
    for (const folder of [workDir, outDir]) mkdirSync(folder);
    const small = join(directory, 'brume');
    writeFileSync(small, '#!/bin/sh\n');
    const files = packageFiles(root, small, nextVersion).map((file) =>
      file.isConfiguration ? withAnotherLine(file) : file,
    );
    return writeRpm({
      root,
      version: `${nextVersion}-0`,
      architecture: 'amd64',
      files,
      timeSeconds: 1_800_000_000,
      outDir,
      workDir,
    });
  }

  /** Runs a command while Brume serves as its own user, by /etc/brume/brume.conf. */
  function whileServing(command: string): Promise<string> {
    return scratch.must(`
      install -d -o brume -g brume /run/brume
      setpriv --reuid brume --regid brume --clear-groups brume serve >/root/log 2>&1 & brume=$!
      until brume status >/dev/null 2>&1; do kill -0 $brume || { cat /root/log; exit 1; }; sleep 0.1; done
      ${command}
      kill $brume; wait $brume`);
  }
});

function withAnotherLine(file: PackagedFile): PackagedFile {
  return { ...file, content: { text: '# The settings of another version.\n# Another example.\n' } };
}

function query(what: string, rpm: string): string {
  return execFileSync('rpm', ['-qp', '--nosignature', what, rpm], { encoding: 'utf8' });
}
