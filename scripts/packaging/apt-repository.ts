import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { runTool } from './run-tool.ts';
import type { SigningKey } from './signing-key.ts';

const POOL = 'pool/main/b/brume';
const SUITE = 'stable';

/** Makes an apt repository with one suite and one component in an empty folder. */
export async function writeAptRepository(
  debs: readonly string[],
  into: string,
  key: SigningKey,
): Promise<void> {
  mkdirSync(join(into, POOL), { recursive: true });
  const architectures = new Set<string>();
  for (const deb of debs) {
    copyFileSync(deb, join(into, POOL, basename(deb)));
    architectures.add(await architectureOf(join(into, POOL), basename(deb)));
  }
  const indexes: string[] = [];
  for (const architecture of architectures) indexes.push(...(await writeIndexes(into, architecture)));

  const suite = join(into, 'dists', SUITE);
  const fields = {
    Origin: 'Brume',
    Label: 'Brume',
    Suite: SUITE,
    Codename: SUITE,
    Components: 'main',
    Architectures: [...architectures].sort().join(' '),
    'Acquire-By-Hash': 'yes',
  };
  const options = Object.entries(fields).flatMap(([field, value]) => [
    '-o',
    `APT::FTPArchive::Release::${field}=${value}`,
  ]);
  const release = join(suite, 'Release');
  writeFileSync(release, await ftpArchive(suite, ...options, '--no-md5', '--no-sha1', 'release', '.'));
  await key.signAround(release, join(suite, 'InRelease'));
  await key.signBeside(release, join(suite, 'Release.gpg'));
  for (const index of indexes) copyByHash(index);
}

async function writeIndexes(into: string, architecture: string): Promise<string[]> {
  const packages = await ftpArchive(
    into,
    '--arch',
    architecture,
    '--no-md5',
    '--no-sha1',
    'packages',
    'pool',
  );
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

async function architectureOf(folder: string, deb: string): Promise<string> {
  return (await runTool('dpkg-deb', ['--field', deb, 'Architecture'], { cwd: folder })).trim();
}

function ftpArchive(cwd: string, ...args: string[]): Promise<string> {
  return runTool('apt-ftparchive', args, { cwd });
}
