import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { freePort } from '../support/free-port.ts';
import { type BareDebian, bareDebian } from './bare-debian.ts';
import { debianVersion, debPath, nextVersion, version } from './packages.ts';

/** As administrators know it. */
const CONFIGURATION = '/etc/brume/brume.conf';
const ANOTHER_EXAMPLE = 'another-example.deb';
const THIS = `./${basename(debPath())}`;

describe('the Debian package', () => {
  for (const architecture of ['amd64', 'arm64']) {
    it(`of ${architecture} is without fault to lintian, and each override is needed`, () => {
      const options = [
        '--fail-on',
        'error,warning',
        '--display-info',
        '--allow-root',
        '--tag-display-limit',
        '0',
      ];
      const found = spawnSync('lintian', [...options, debPath(version, architecture)], { encoding: 'utf8' });
      assert.equal(found.status, 0, found.stdout);
      assert.doesNotMatch(found.stdout, /unused-override|mismatched-override/);
    });
  }

  it('names what it is made of', () => {
    const files = execFileSync('dpkg-deb', ['-c', debPath()], { encoding: 'utf8' });
    for (const name of [
      'copyright',
      'sbom.cdx.json',
      'THIRD-PARTY.md.gz',
      'NODE-LICENSE.gz',
      'changelog.Debian.gz',
    ]) {
      assert.ok(files.includes(`/usr/share/doc/brume/${name}\n`), name);
    }
    const sbom = JSON.parse(
      execFileSync(
        'sh',
        ['-c', 'dpkg-deb --fsys-tarfile "$1" | tar -xO ./usr/share/doc/brume/sbom.cdx.json', 'sh', debPath()],
        { encoding: 'utf8' },
      ),
    );
    assert.equal(sbom.metadata.component.version, version);
    const lock: { packages: Record<string, { dev?: boolean }> } = JSON.parse(
      readFileSync(join(import.meta.dirname, '../../package-lock.json'), 'utf8'),
    );
    const shipped = Object.entries(lock.packages).filter(([path, { dev }]) => path !== '' && dev !== true);
    const purls = new Set(sbom.components.map(({ purl }: { purl: string }) => purl));
    for (const name of ['fastify', 'pg', 'ioredis'])
      assert.ok(
        [...purls].some((purl) => String(purl).startsWith(`pkg:npm/${name}@`)),
        name,
      );
    assert.ok(purls.size > 1 && purls.size <= shipped.length + 1);
  });
});

describe('B64: the Debian package in a container without systemd', () => {
  const ends: (() => void)[] = [];
  let debian: BareDebian;
  let port: number;
  before(async () => {
    debian = await bareDebian(
      { after: (end: () => void) => ends.push(end) },
      debPath(),
      debPath(nextVersion),
    );
    debian.put(withAnotherExample(debPath(nextVersion), join(debian.tree, '..')));
    port = await freePort();
    await debian.must(`apt-get update -qq; ${apt('install', 'systemd-standalone-sysusers')}`);
  });
  after(() => {
    for (const end of ends) end();
  });

  it('installs, and starts nothing', async () => {
    const output = await debian.must(apt('install', THIS));
    assert.doesNotMatch(output, /error|warning|fail/i);
    assert.equal(await debian.must('readlink /proc/[0-9]*/exe | grep brume || true'), '');
    assert.equal(await debian.must('brume version'), `brume ${version}`);
  });

  it('makes the user and the groups, and a configuration that only they and root can read', async () => {
    assert.equal(await debian.must(`stat -c '%a %U:%G' ${CONFIGURATION}`), '640 root:brume');
    assert.match(await debian.must('getent passwd brume'), /:\/var\/lib\/brume:\/usr\/sbin\/nologin$/);
    assert.match(
      await debian.must('getent group brume-proxy brume-admin'),
      /^brume-proxy:.*:\nbrume-admin:.*:$/,
    );
  });

  it('enables its units, for when the system is booted', async () => {
    const wanted = await debian.must(
      'cd /etc/systemd/system; ls multi-user.target.wants sockets.target.wants',
    );
    for (const unit of ['brume.service', 'brume.socket', 'brume-admin.socket', 'brume-management.socket']) {
      assert.ok(wanted.split('\n').includes(unit), unit);
    }
  });

  it('keeps configuration and data when it is removed, and takes them up again', async () => {
    await debian.must(
      `printf 'BRUME_LISTEN=127.0.0.1:${port}\nBRUME_MANAGEMENT_LISTEN=off\n' >>${CONFIGURATION}`,
    );
    await debian.must('install -d -o brume -g brume -m 700 /var/lib/brume');
    await whileServing('brume project create kept');
    const [user, edited] = [await debian.must('id brume'), await debian.must(`cat ${CONFIGURATION}`)];

    await debian.must(apt('remove', 'brume'));
    assert.equal((await debian.run('command -v brume')).exitCode, 1);
    assert.equal(await debian.must(`cat ${CONFIGURATION}`), edited);

    await debian.must(apt('install', THIS));
    assert.deepEqual(
      [await debian.must('id brume'), await debian.must(`cat ${CONFIGURATION}`)],
      [user, edited],
    );
    assert.match(await whileServing('brume project list'), /kept/);
  });

  it('upgrades without a terminal as documented, and an edited configuration stays as it is, with the new example beside it', async () => {
    const [user, edited] = [await debian.must('id brume'), await debian.must(`cat ${CONFIGURATION}`)];
    await debian.must(apt('install', `-o Dpkg::Options::=--force-confold ./${ANOTHER_EXAMPLE}`));
    assert.equal(await debian.must('brume version'), `brume ${nextVersion}`);
    assert.deepEqual(
      [await debian.must('id brume'), await debian.must(`cat ${CONFIGURATION}`)],
      [user, edited],
    );
    assert.equal(await debian.must(`stat -c '%a %U:%G' ${CONFIGURATION}`), '640 root:brume');
    assert.match(await debian.must(`tail -n 1 ${CONFIGURATION}.dpkg-dist`), /^# Another example/);
    assert.match(await whileServing('brume project list'), /kept/);
  });

  it('goes back by one version, says that this is safe, and serves what the newer one wrote', async () => {
    await whileServing('brume project create newer');
    const output = await debian.must(`yes '' | dpkg -i ${basename(debPath())}`);
    assert.match(output, new RegExp(`going back from ${debianVersion(nextVersion)} to ${debianVersion()}`));
    assert.equal(await debian.must('brume version'), `brume ${version}`);
    assert.match(await whileServing('brume project list'), /kept[\s\S]*newer/);
  });

  it('is purged with configuration and data, twice, and the user stays', async () => {
    await debian.must('touch /etc/brume/management.key');
    await debian.must(apt('purge', 'brume'));
    await debian.must('dpkg --purge brume');
    const left = await debian.must(
      "find / -xdev -path /root -prune -o -path /proc -prune -o -name '*brume*' -print",
    );
    // What apt has looked up.
    assert.deepEqual(
      left.split('\n').filter((path) => path !== '' && !path.startsWith('/var/cache/apt')),
      [],
    );
    await debian.must('id brume');
  });

  it('installs anew after that, with the configuration as it comes', async () => {
    await debian.must(apt('install', THIS));
    assert.doesNotMatch(await debian.must(`cat ${CONFIGURATION}`), /^BRUME_LISTEN/m);
    assert.equal(await debian.must(`stat -c '%a %U:%G' ${CONFIGURATION}`), '640 root:brume');
  });

  /** Runs a command while Brume serves as its own user, by /etc/brume/brume.conf. */
  function whileServing(command: string): Promise<string> {
    return debian.must(`
      install -d -o brume -g brume /run/brume
      setpriv --reuid brume --regid brume --clear-groups brume serve >/root/log 2>&1 & brume=$!
      until brume status >/dev/null 2>&1; do kill -0 $brume || { cat /root/log; exit 1; }; sleep 0.1; done
      ${command}
      kill $brume; wait $brume`);
  }
});

function apt(action: string, what: string): string {
  return `DEBIAN_FRONTEND=noninteractive apt-get ${action} -y -qq --no-install-recommends ${what} </dev/null`;
}

/** The package with another brume.conf in it, so that dpkg has to choose; for speed not compressed. */
function withAnotherExample(deb: string, directory: string): string {
  const [tree, path] = [join(directory, 'another'), join(directory, ANOTHER_EXAMPLE)];
  execFileSync('dpkg-deb', ['-R', deb, tree]);
  appendFileSync(join(tree, CONFIGURATION), '# Another example.\n');
  execFileSync('dpkg-deb', ['--root-owner-group', '-Znone', '-b', tree, path], { stdio: 'ignore' });
  return path;
}
