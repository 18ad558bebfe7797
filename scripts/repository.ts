/**
 * Makes the apt and the dnf repository. scripts/repository installs what this needs, and says how it is
 * called.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { writeAptRepository } from './packaging/apt-repository.ts';
import { writeDnfRepository } from './packaging/dnf-repository.ts';
import { SigningKey } from './packaging/signing-key.ts';

const root = join(import.meta.dirname, '..');

const { values } = parseArgs({
  options: {
    packages: { type: 'string' },
    out: { type: 'string' },
    key: { type: 'string' },
    url: { type: 'string' },
  },
});
const packagesDir = resolve(values.packages ?? fail('--packages names the folder of the packages'));
const outDir = resolve(values.out ?? fail('--out names the folder that is made'));
// What is published and no longer among the packages would stay, unsigned by any index.
if (existsSync(outDir)) fail(`${values.out} is there already`);
const key = signingKey(values.key ?? fail('--key gives the fingerprint of the key'));
const debs = packagesOf(/^brume_.*\.deb$/);
const rpms = packagesOf(/^brume-.*\.rpm$/);

// Whoever serves them reads them.
process.umask(0o022);
const unfinished = `${outDir}.unfinished`;
rmSync(unfinished, { recursive: true, force: true });
mkdirSync(unfinished, { recursive: true });
try {
  const publicKey = join(unfinished, 'brume.asc');
  key.writePublicKey(publicKey);
  writeAptRepository(debs, join(unfinished, 'deb'), key);
  writeDnfRepository(rpms, join(unfinished, 'rpm'), key, publicKey);
  for (const name of values.url === undefined ? [] : ['brume.sources', 'brume.repo']) {
    const settings = readFileSync(join(root, 'packaging/repository', name), 'utf8');
    writeFileSync(join(unfinished, name), settings.replaceAll('@URL@', values.url ?? ''));
  }
  renameSync(unfinished, outDir);
} catch (error) {
  process.stderr.write(`scripts/repository: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  rmSync(unfinished, { recursive: true, force: true });
}
if (process.exitCode === undefined) console.log(outDir);

function packagesOf(pattern: RegExp): string[] {
  const found = readdirSync(packagesDir)
    .filter((name) => pattern.test(name))
    .sort();
  return found.length > 0
    ? found.map((name) => join(packagesDir, name))
    : fail(`${values.packages} has no ${pattern.source.endsWith('deb$') ? '.deb' : '.rpm'} of Brume`);
}

function signingKey(fingerprint: string): SigningKey {
  try {
    return new SigningKey(fingerprint);
  } catch (error) {
    return fail(`--key ${fingerprint}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function fail(message: string): never {
  process.stderr.write(`scripts/repository: ${message}\n`);
  process.exit(2);
}
