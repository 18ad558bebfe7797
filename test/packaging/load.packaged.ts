import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Guest } from '../systemd/guest.ts';
import { onEmbeddedStores, onSharedStores } from '../systemd/load/house.ts';
import { assertLossless, slowestMs } from '../systemd/load/judged.ts';
import type { LoadedGuest } from '../systemd/load/loaded-guest.ts';
import { debianVersion, debPath, nextVersion, rpmPath, version } from './packages.ts';
import { baseCapabilities } from './rpm-root.ts';
import { trialKey } from './served-repository.ts';

const root = join(import.meta.dirname, '../..');
const PLACE = '/srv/repository';
/** Where clients would have it from; the guests have it as files. */
const SERVED_AT = 'https://packages.brume.invalid';
// The guests' Debian has rpm and dnf, too.
process.env.TEST_GUEST_PACKAGES = readFileSync(join(root, 'packaging/vm/packages'), 'utf8')
  .trim()
  .replaceAll('\n', ',');

const FORMATS = {
  'the Debian package, by apt': {
    async prepare(guest: Guest) {
      await guest.must('install', '-D', '-m', '644', `${PLACE}/brume.asc`, '/etc/apt/keyrings/brume.asc');
      await guest.must('cp', `${PLACE}/brume.sources`, '/etc/apt/sources.list.d/');
      await guest.must('rm', '-f', '/etc/apt/sources.list');
      await guest.must('apt-get', 'update', '-q');
    },
    commands: (ofVersion: string) => {
      // brume.conf was written to, and nobody is there to be asked about it.
      const install = [
        'apt-get',
        'install',
        '-y',
        '-q',
        '--allow-downgrades',
        '-o',
        'Dpkg::Options::=--force-confold',
      ];
      const each = [...install, `brume=${debianVersion(ofVersion)}`];
      return { first: each, upgrade: each, downgrade: each };
    },
  },
  'the RPM package, by dnf': {
    async prepare(guest: Guest) {
      await guest.must('rpm', '--install', '--nodeps', `${PLACE}/base.rpm`);
      await guest.must('install', '-D', '-m', '644', `${PLACE}/brume.repo`, '/etc/yum.repos.d/brume.repo');
      await guest.must('rpm', '--import', `${PLACE}/brume.asc`);
    },
    commands: (ofVersion: string) => {
      const dnf = (verb: string) => [
        'dnf',
        '-y',
        '--releasever=9',
        verb,
        `brume-${ofVersion.replace('-', '~')}`,
      ];
      return { first: dnf('install'), upgrade: dnf('upgrade'), downgrade: dnf('downgrade') };
    },
  },
};
const STORES = { 'on embedded stores': onEmbeddedStores, 'on Redis and PostgreSQL': onSharedStores };
const UNITS = ['brume.socket', 'brume-management.socket', 'brume-admin.socket', 'brume.service'];

for (const [format, { prepare, commands }] of Object.entries(FORMATS)) {
  for (const [stores, on] of Object.entries(STORES)) {
    describe(`${format}, ${stores}: under load`, () => {
      const ends: (() => void)[] = [];
      let guest: Guest;
      let loaded: LoadedGuest;
      before(async () => {
        execFileSync(join(root, 'scripts/guest'), ['base'], { stdio: ['ignore', 'ignore', 'inherit'] });
        const repository = signedRepository((end) => ends.push(end));
        guest = await Guest.boot((tree) => {
          mkdirSync(join(tree, 'srv'), { recursive: true });
          cpSync(repository, join(tree, PLACE), { recursive: true });
        });
        await prepare(guest);
        await guest.must(...commands(version).first);
        await guest.must('systemctl', 'enable', '--now', ...UNITS);
        loaded = await on(guest);
      });
      after(async () => {
        await guest?.end();
        for (const end of ends.reverse()) end();
      });

      it('an upgrade to the next version loses nothing', () => replaces(nextVersion, 'upgrade'));
      it('going back by one version loses nothing', () => replaces(version, 'downgrade'));

      async function replaces(by: string, how: 'upgrade' | 'downgrade'): Promise<void> {
        const report = await loaded.during(() => guest.must(...commands(by)[how]));
        console.log(`${format}, ${stores}, ${how}: slowest ${slowestMs(report)} ms`);
        assertLossless(report);
        assert.equal(JSON.parse(await guest.must('brume', 'status', '--json')).version, by);
      }
    });
  }
}

/** Of both versions, with what stands for a distribution beside it; as the guest has it. */
function signedRepository(onEnd: (end: () => void) => void): string {
  const work = mkdtempSync('/var/tmp/brume-repository-');
  onEnd(() => rmSync(work, { recursive: true, force: true }));
  const key = trialKey({ after: (end) => onEnd(end as () => void) });
  const packages = join(work, 'packages');
  mkdirSync(packages);
  for (const each of [version, nextVersion]) {
    for (const path of [debPath(each), rpmPath(each)]) cpSync(path, join(packages, basename(path)));
  }
  const made = join(work, 'made');
  const options = ['--packages', packages, '--out', made, '--key', key.fingerprint];
  execFileSync(join(root, 'scripts/repository'), [...options, '--url', SERVED_AT], {
    env: key.environment,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  for (const name of ['brume.sources', 'brume.repo']) {
    const settings = readFileSync(join(made, name), 'utf8').replaceAll(SERVED_AT, `file://${PLACE}`);
    writeFileSync(join(made, name), settings);
  }
  cpSync(baseCapabilities(work), join(made, 'base.rpm'));
  return made;
}
