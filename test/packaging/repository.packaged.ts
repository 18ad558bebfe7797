import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type BareDebian, bareDebian, type Outcome } from './bare-debian.ts';
import { debPath, rpmPath, version } from './packages.ts';
import { type RpmRoot, rpmRoot } from './rpm-root.ts';
import { type ServedRepository, servedRepository, type TrialKey, trialKey } from './served-repository.ts';

const root = join(import.meta.dirname, '../..');
const SUITE = 'deb/dists/stable';
const DEB = `deb/pool/main/b/brume/${basename(debPath())}`;
const RPMS = 'rpm/x86_64';
/** A proxy of this machine has no business between a test and its server. */
const NO_PROXY = 'export no_proxy=127.0.0.1;';

describe('the repositories that scripts/repository makes', () => {
  const ends: (() => void)[] = [];
  const t = { after: (end: () => void) => ends.push(end) };
  let key: TrialKey;
  let repository: ServedRepository;
  before(async () => {
    key = trialKey(t);
    repository = await servedRepository(t, key, debPath(), rpmPath());
  });
  after(() => {
    for (const end of ends.reverse()) end();
  });

  it('are signed by the key that is named: both indexes, and every RPM package', () => {
    const { directory } = repository;
    const keyring = join(key.environment.GNUPGHOME ?? '', 'trusted.gpg');
    key.gpg('--output', keyring, '--dearmor', join(directory, 'brume.asc'));
    for (const signed of [
      [`${SUITE}/InRelease`],
      [`${SUITE}/Release.gpg`, `${SUITE}/Release`],
      [`${RPMS}/repodata/repomd.xml.asc`, `${RPMS}/repodata/repomd.xml`],
    ]) {
      const found = spawnSync('gpgv', ['--keyring', keyring, ...signed.map((path) => join(directory, path))]);
      assert.equal(found.status, 0, String(found.stderr));
    }
    const database = mkdtempSync('/var/tmp/brume-rpm-keys-');
    t.after(() => rmSync(database, { recursive: true, force: true }));
    const rpmkeys = (...args: string[]) =>
      execFileSync('rpmkeys', ['--dbpath', database, ...args], { encoding: 'utf8' });
    rpmkeys('--import', join(directory, 'brume.asc'));
    const seen = rpmkeys('-Kv', join(directory, RPMS, basename(rpmPath())));
    const id = key.fingerprint.slice(-8).toLowerCase();
    assert.match(seen, new RegExp(`Header V4 RSA/SHA256 Signature, key ID ${id}: OK`));
    assert.doesNotMatch(seen, /NOKEY|BAD|NOTFOUND/);
  });

  it('are not made with a part of a fingerprint, a key that is not there, or over what is there', () => {
    const out = `${repository.directory}-refused`;
    const packages = join(repository.directory, '../packages');
    for (const [fingerprint, into, message] of [
      [key.fingerprint.slice(-16), out, /40 hexadecimal digits/],
      ['0'.repeat(40), out, /secret key/i],
      [key.fingerprint, repository.directory, /is there already/],
    ] as const) {
      const options = ['--packages', packages, '--out', into, '--key', fingerprint];
      const refused = spawnSync(join(root, 'scripts/repository'), options, { env: key.environment });
      assert.equal(refused.status, 2);
      assert.match(String(refused.stderr), message);
    }
    assert.equal(existsSync(out), false);
  });

  it('are not made where rpmsign says that all is well and has signed nothing', () => {
    const trial = join(repository.directory, '..');
    const [programs, out] = [join(trial, 'programs'), join(trial, 'unsigned')];
    mkdirSync(programs);
    writeFileSync(join(programs, 'rpmsign'), '#!/bin/sh\n', { mode: 0o755 });
    const options = ['--packages', join(trial, 'packages'), '--out', out, '--key', key.fingerprint];
    const env = { ...key.environment, PATH: `${programs}:${process.env.PATH}` };
    const refused = spawnSync(join(root, 'scripts/repository'), options, { env });
    assert.equal(refused.status, 1);
    assert.match(String(refused.stderr), /not signed by the key/);
    assert.deepEqual(
      readdirSync(trial).filter((name) => name.startsWith('unsigned')),
      [],
    );
  });

  describe('for apt', () => {
    let debian: BareDebian;
    before(async () => {
      debian = await bareDebian(t);
      // What Brume depends on comes from Debian; afterwards there is no source but Brume's.
      await debian.must(`
        apt-get update -qq
        apt-get install -y -qq --no-install-recommends curl ca-certificates libstdc++6 systemd-standalone-sysusers init-system-helpers
        rm -rf /etc/apt/sources.list /etc/apt/sources.list.d/*`);
    });

    it('install Brume by the lines of docs/packages.md', async () => {
      await afresh((directory) => directory);
      await debian.must(
        `${NO_PROXY} echo 'APT::Get::Assume-Yes "true";' >/etc/apt/apt.conf.d/assume-yes; ${documentedLines()}`,
      );
      assert.equal(await debian.must('brume version'), `brume ${version}`);
      await debian.must('apt-get purge -y -qq brume');
    });

    it('are refused with an index that somebody changed', async () => {
      await afresh((directory) => {
        const indexes = join(directory, SUITE, 'main/binary-amd64');
        for (const file of readdirSync(indexes, { recursive: true, withFileTypes: true })) {
          if (file.isFile()) flipByte(join(file.parentPath, file.name));
        }
      });
      isRefused(await update(), /Hash Sum mismatch/);
    });

    it('are refused with a Release that the key did not sign as it is', async () => {
      await afresh((directory) =>
        replaceIn(join(directory, SUITE, 'InRelease'), 'Label: Brume', 'Label: Brune'),
      );
      isRefused(await update(), /not signed|signature/);
    });

    it('are refused when they are signed by another key', async () => {
      const stranger = trialKey(t);
      await afresh((directory) => {
        const release = join(directory, SUITE, 'Release');
        for (const [name, how] of [
          ['InRelease', '--clearsign'],
          ['Release.gpg', '--detach-sign'],
        ] as const) {
          stranger.gpg('--yes', '--armor', '--output', join(directory, SUITE, name), how, release);
        }
      });
      isRefused(await update(), /NO_PUBKEY/);
    });

    it('are refused with a package that somebody changed', async () => {
      await afresh((directory) => flipByte(join(directory, DEB)));
      await debian.must(`${NO_PROXY} apt-get update -qq`);
      isRefused(await debian.run(`${NO_PROXY} apt-get install -y -qq brume`), /Hash Sum mismatch/);
      assert.equal((await debian.run('command -v brume')).exitCode, 1);
    });

    const update = () => debian.run(`${NO_PROXY} apt-get update -qq`);

    /** Else apt goes on with what it has fetched before. */
    async function afresh(change: (directory: string) => void): Promise<void> {
      repository.serve(change);
      await debian.must('rm -rf /var/lib/apt/lists/* /var/cache/apt/archives/*.deb');
    }

    function documentedLines(): string {
      const page = readFileSync(join(root, 'docs/packages.md'), 'utf8');
      const lines = /^```sh\n((?:(?!```).*\n)*apt-get install brume\n)```$/m.exec(page)?.[1];
      assert.ok(lines);
      return lines.replaceAll(
        /https:\/\/packages\.example\.org(\S*)/g,
        (_, path) => `"${repository.url}${path}"`,
      );
    }
  });

  describe('for dnf', () => {
    let scratch: RpmRoot;
    let settings: string;
    before(async () => {
      scratch = await rpmRoot(t);
      settings = join(repository.directory, '../repositories');
      mkdirSync(settings);
      copyFileSync(join(repository.directory, 'brume.repo'), join(settings, 'brume.repo'));
    });

    it('install Brume', async () => {
      await afresh((directory) => directory);
      await scratch.mustDnf(settings, 'install', 'brume');
      assert.equal(await scratch.must('brume version'), `brume ${version}`);
      assert.match(
        (await scratch.rpm('-q', '--qf', '%{SIGPGP:pgpsig}%{RSAHEADER:pgpsig}', 'brume')).output,
        /RSA\/SHA256/,
      );
      await scratch.mustDnf(settings, 'remove', 'brume');
    });

    it('are refused with an index that the key did not sign as it is', async () => {
      await afresh((directory) =>
        replaceIn(join(directory, RPMS, 'repodata/repomd.xml'), '</repomd>', '<!-- --></repomd>'),
      );
      isRefused(await install(), /signature|GPG/i);
    });

    it('are refused when the index is signed by another key', async () => {
      const stranger = trialKey(t);
      await afresh((directory) => signIndex(directory, stranger));
      isRefused(await install(), /signature|GPG/i);
    });

    it('are refused with a package that somebody changed', async () => {
      await afresh((directory) => flipByte(join(directory, RPMS, basename(rpmPath()))));
      isRefused(await install(), /checksum/i);
    });

    it('are refused with a package that nobody signed, though the index names it', async () => {
      await afresh((directory) => {
        copyFileSync(rpmPath(), join(directory, RPMS, basename(rpmPath())));
        execFileSync('createrepo_c', ['--quiet', '--no-database', join(directory, RPMS)]);
        signIndex(directory, key);
      });
      isRefused(await install(), /not signed/i);
    });

    async function install(): Promise<Outcome> {
      const outcome = await scratch.dnf(settings, 'install', 'brume');
      assert.equal((await scratch.run('command -v brume')).exitCode, 1);
      return outcome;
    }

    async function afresh(change: (directory: string) => void): Promise<void> {
      repository.serve(change);
      await scratch.mustDnf(settings, 'clean', 'all');
    }
  });
});

function isRefused({ exitCode, output }: Outcome, message: RegExp): void {
  assert.notEqual(exitCode, 0, output);
  assert.match(output, message);
}

function signIndex(directory: string, key: TrialKey): void {
  const index = join(directory, RPMS, 'repodata/repomd.xml');
  key.gpg('--yes', '--armor', '--output', `${index}.asc`, '--detach-sign', index);
}

/** One in the middle, so that the size stays. */
function flipByte(path: string): void {
  const bytes = readFileSync(path);
  const at = Math.floor(bytes.length / 2);
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  writeFileSync(path, bytes);
}

function replaceIn(path: string, words: string, others: string): void {
  const before = readFileSync(path, 'utf8');
  assert.ok(before.includes(words));
  writeFileSync(
    path,
    before.replace(words, () => others),
  );
}
