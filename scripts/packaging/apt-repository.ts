import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { SigningKey } from './signing-key.ts';

const POOL = 'pool/main/b/brume';
const SUITE = 'stable';

/** Makes an apt repository with one suite and one component in an empty folder. */
export function writeAptRepository(debs: readonly string[], into: string, key: SigningKey): void {
  mkdirSync(join(into, POOL), { recursive: true });
  for (const deb of debs) copyFileSync(deb, join(into, POOL, basename(deb)));
  const architectures = [...new Set(debs.map(architectureOf))].sort();
  const indexes = architectures.flatMap((architecture) => writeIndexes(into, architecture));

  const suite = join(into, 'dists', SUITE);
  const fields = {
    Origin: 'Brume',
    Label: 'Brume',
    Suite: SUITE,
    Codename: SUITE,
    Components: 'main',
    Architectures: architectures.join(' '),
    'Acquire-By-Hash': 'yes',
  };
  const options = Object.entries(fields).flatMap(([field, value]) => [
    '-o',
    `APT::FTPArchive::Release::${field}=${value}`,
  ]);
  const release = join(suite, 'Release');
  writeFileSync(release, ftpArchive(suite, ...options, '--no-md5', '--no-sha1', 'release', '.'));
  key.signAround(release, join(suite, 'InRelease'));
  key.signBeside(release, join(suite, 'Release.gpg'));
  for (const index of indexes) copyByHash(index);
}

function writeIndexes(into: string, architecture: string): string[] {
  const packages = ftpArchive(into, '--arch', architecture, '--no-md5', '--no-sha1', 'packages', 'pool');
  const index = join(into, 'dists', SUITE, 'main', `binary-${architecture}`, 'Packages');
  mkdirSync(dirname(index), { recursive: true });
  writeFileSync(index, packages);
  writeFileSync(`${index}.gz`, gzipSync(packages, { level: 9 }));
  return [index, `${index}.gz`];
}

/** So that a client which has read the last Release still finds its indexes while the next is uploaded. */
function copyByHash(index: string): void {
  const hash = createHash('sha256').update(readFileSync(index)).digest('hex');
  const folder = join(dirname(index), 'by-hash/SHA256');
  mkdirSync(folder, { recursive: true });
  copyFileSync(index, join(folder, hash));
}

function architectureOf(deb: string): string {
  return execFileSync('dpkg-deb', ['--field', deb, 'Architecture'], { encoding: 'utf8' }).trim();
}

function ftpArchive(cwd: string, ...args: string[]): string {
  return execFileSync('apt-ftparchive', args, { cwd, encoding: 'utf8' });
}
