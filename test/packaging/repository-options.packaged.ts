import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { waitFor } from '../support/wait-for.ts';
import { type TrialKey, trialKey } from './served-repository.ts';
import { writeTinyPackages } from './tiny-packages.ts';

const command = join(import.meta.dirname, '../../scripts/repository');
/** What shells, rpm's macros and patterns, String.replace and gpg would take for something. */
const ODD = `it's 50%{x} of $HOME & $& [ö]*\n"x"`;

describe('scripts/repository', () => {
  const ends: (() => void)[] = [];
  const t = { after: (end: () => void) => ends.push(end) };
  let key: TrialKey;
  let packages: string;
  before(() => {
    key = trialKey(t);
    packages = temporaryDirectory(t);
    writeTinyPackages(packages);
  });
  after(() => {
    for (const end of ends.reverse()) end();
  });

  function run(options: Readonly<Record<string, string>>, environment: NodeJS.ProcessEnv = {}) {
    const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
    const env = { ...key.environment, ...environment };
    return spawnSync(command, args, { env, encoding: 'utf8', timeout: 120_000 });
  }

  it('takes folders whatever characters are in their names', (context) => {
    const odd = join(temporaryDirectory(context), ODD);
    const [from, out, temporary] = [join(odd, 'packages'), join(odd, ODD), join(odd, 'tmp')];
    for (const folder of [from, temporary]) mkdirSync(folder, { recursive: true });
    writeTinyPackages(from);
    const { status, stdout, stderr } = run(
      { packages: from, out, key: key.fingerprint },
      { TMPDIR: temporary },
    );
    assert.deepEqual({ status, stdout, stderr }, { status: 0, stdout: `${out}\n`, stderr: '' });
    const index = readFileSync(join(out, 'deb/dists/stable/main/binary-amd64/Packages'), 'utf8');
    assert.match(index, /^Filename: pool\/main\/b\/brume\/brume_0\.0\.1-1_amd64\.deb$/m);
    assert.deepEqual(readdirSync(join(out, 'rpm/x86_64')), ['brume-0.0.1-1.x86_64.rpm', 'repodata']);
    key.gpg('--verify', join(out, 'deb/dists/stable/InRelease'));
    key.gpg(
      '--verify',
      join(out, 'rpm/x86_64/repodata/repomd.xml.asc'),
      join(out, 'rpm/x86_64/repodata/repomd.xml'),
    );
    assert.deepEqual(readdirSync(temporary), []);
    assert.deepEqual(readdirSync(odd).sort(), [ODD, 'packages', 'tmp'].sort());
  });

  it('writes what clients put into their settings by the URL as it is, escaped', (context) => {
    const out = join(temporaryDirectory(context), 'out');
    const url = `https://packages.example.org/it's $& $basearch/ä/`;
    assert.equal(run({ packages, out, key: key.fingerprint, url }).status, 0);
    const served = `https://packages.example.org/it's%20%24&%20%24basearch/%C3%A4`;
    const sources = readFileSync(join(out, 'brume.sources'), 'utf8');
    assert.ok(sources.includes(`\nURIs: ${served}/deb\n`), sources);
    const repo = readFileSync(join(out, 'brume.repo'), 'utf8');
    assert.ok(repo.includes(`\nbaseurl=${served}/rpm/$basearch\ngpgkey=${served}/brume.asc\n`), repo);
  });

  it('says in one line what would be right, and makes nothing', (context) => {
    const directory = temporaryDirectory(context);
    const [out, empty, there] = ['out', 'empty', 'there'].map((name) => join(directory, name));
    mkdirSync(empty ?? '');
    mkdirSync(there ?? '');
    writeFileSync(join(there ?? '', 'else'), 'mine');
    const right = { packages, out: out ?? '', key: key.fingerprint };
    const cases: readonly (readonly [Record<string, string>, RegExp])[] = [
      [{ wrong: 'x' }, /Unknown option '--wrong'.* it takes --packages DIR --out DIR --key FINGERPRINT/],
      [{ packages: join(directory, 'nowhere') }, /--packages: ENOENT.*nowhere/],
      [{ packages: empty ?? '' }, /--packages .*empty has no \.deb as scripts\/package makes it/],
      [{ out: there ?? '' }, /--out .*there is there already: name a folder that is not/],
      [{ out: '/proc/brume' }, /--out: .*\/proc\/brume/],
      [{ out: '/proc/brume/deeper' }, /--out: .*\/proc\/brume/],
      [{ out: '/dev/null/out' }, /--out: ENOTDIR/],
      [{ key: key.fingerprint.slice(-16) }, /a fingerprint has 40 hexadecimal digits/],
      [{ key: '0'.repeat(40) }, /GnuPG has no secret key of it: gpg --list-secret-keys shows those/],
      [{ key: expiredKey(key) }, /the key expired on 2020-01-02: gpg --quick-set-expire prolongs it/],
      [{ url: 'packages.example.org' }, /--url: it takes an address such as https:/],
      [{ url: 'https://packages.example.org/\nx' }, /--url: it takes an address such as https:/],
      [{ url: 'https://me:secret@packages.example.org' }, /--url: .* without a user and a password/],
    ];
    for (const [options, message] of cases) {
      const { status, stdout, stderr } = run({ ...right, ...options });
      assert.deepEqual({ status, stdout }, { status: 2, stdout: '' }, stderr);
      assert.match(stderr, /^scripts\/repository: [^\n]+\n$/);
      assert.match(stderr, message);
    }
    assert.deepEqual(readdirSync(directory).sort(), ['empty', 'there']);
    assert.equal(readFileSync(join(there ?? '', 'else'), 'utf8'), 'mine');
  });

  it('refuses what is damaged, or is another package than its name says, and names the file', (context) => {
    const whole = readdirSync(packages).map((name) => [name, readFileSync(join(packages, name))] as const);
    const [deb, rpm] = ['brume_0.0.1-1_amd64.deb', 'brume-0.0.1-1.x86_64.rpm'];
    const half = (bytes: Buffer) => bytes.subarray(0, bytes.length - 100);
    const flipped = (bytes: Buffer) => {
      const at = bytes.length - 40;
      return Buffer.concat([bytes.subarray(0, at), Buffer.from([~(bytes[at] ?? 0)]), bytes.subarray(at + 1)]);
    };
    const cases: readonly (readonly [of: string, as: string, (bytes: Buffer) => Buffer, RegExp])[] = [
      [deb, deb, half, /--packages: brume_0\.0\.1-1_amd64\.deb is damaged: dpkg-deb: /],
      [deb, deb, flipped, /--packages: brume_0\.0\.1-1_amd64\.deb is damaged: dpkg-deb: /],
      [deb, deb, () => Buffer.alloc(0), /--packages: brume_0\.0\.1-1_amd64\.deb is damaged: dpkg-deb: /],
      [rpm, rpm, half, /--packages: brume-0\.0\.1-1\.x86_64\.rpm is damaged: rpmkeys: /],
      // The same package twice: apt would take either.
      [
        deb,
        'brume_0.0.2-1_amd64.deb',
        (bytes) => bytes,
        /brume_0\.0\.2-1_amd64\.deb contradicts what stands in it: it is brume_0\.0\.1-1_amd64\.deb\./,
      ],
      [
        rpm,
        'brume-0.0.1-1.aarch64.rpm',
        (bytes) => bytes,
        /brume-0\.0\.1-1\.aarch64\.rpm contradicts what stands in it: it is brume-0\.0\.1-1\.x86_64\.rpm\./,
      ],
    ];
    for (const [of, as, changed, message] of cases) {
      const directory = temporaryDirectory(context);
      const from = join(directory, 'packages');
      mkdirSync(from);
      for (const [name, bytes] of whole) {
        writeFileSync(join(from, name), bytes);
        if (name === of) writeFileSync(join(from, as), changed(bytes));
      }
      const { status, stdout, stderr } = run({
        packages: from,
        out: join(directory, 'out'),
        key: key.fingerprint,
      });
      assert.deepEqual({ status, stdout }, { status: 2, stdout: '' }, stderr);
      assert.match(stderr, /^scripts\/repository: [^\n]+\n$/);
      assert.match(stderr, message);
      assert.deepEqual(readdirSync(directory), ['packages']);
    }
  });

  it('says in one line what a tool said when it failed, and leaves nothing behind', (context) => {
    const directory = temporaryDirectory(context);
    const programs = programsWith(directory, 'createrepo_c', 'echo no room left >&2; exit 1');
    const { status, stderr } = run({ packages, out: join(directory, 'out'), key: key.fingerprint }, programs);
    assert.deepEqual(
      { status, stderr },
      { status: 1, stderr: 'scripts/repository: createrepo_c: no room left\n' },
    );
    assert.deepEqual(readdirSync(directory), ['programs']);
  });

  for (const [signal, exitCode] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    it(`${signal} half-way leaves no half of a repository, and leaves alone what lay beside it`, async (context) => {
      const directory = temporaryDirectory(context);
      const [out, begun] = [join(directory, 'out'), join(directory, 'begun')];
      mkdirSync(`${out}.unfinished`);
      const programs = programsWith(directory, 'createrepo_c', `touch '${begun}'; exec sleep 600`);
      const args = ['--packages', packages, '--out', out, '--key', key.fingerprint];
      const child = spawn(command, args, { env: { ...key.environment, ...programs }, stdio: 'ignore' });
      context.after(() => child.kill('SIGKILL'));
      const ended = once(child, 'exit');
      await waitFor('it is half-way', async () => existsSync(begun));
      child.kill(signal);
      assert.deepEqual(await ended, [exitCode, null]);
      assert.deepEqual(readdirSync(directory).sort(), ['begun', 'out.unfinished', 'programs']);
    });
  }
});

/** A tool that does something else, before the others in PATH. */
function programsWith(directory: string, name: string, script: string): NodeJS.ProcessEnv {
  const programs = join(directory, 'programs');
  mkdirSync(programs);
  writeFileSync(join(programs, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return { PATH: `${programs}:${process.env.PATH}` };
}

/** One of 2020, for a day. */
function expiredKey(key: TrialKey): string {
  const uid = 'Brume of old <old@brume.invalid>';
  const then = ['--faked-system-time', '20200101T000000!', '--passphrase', ''];
  key.gpg(...then, '--quick-generate-key', uid, 'rsa2048', 'sign', '1d');
  const listing = key.gpg('--list-keys', '--with-colons', uid);
  return /^fpr:+([0-9A-F]{40}):$/m.exec(listing)?.[1] ?? assert.fail(listing);
}
