import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { SigningKey } from './signing-key.ts';

/** Makes a dnf repository an architecture in an empty folder; throws where a package's signature doesn't hold. */
export function writeDnfRepository(
  rpms: readonly string[],
  into: string,
  key: SigningKey,
  publicKey: string,
): void {
  const copies = rpms.map((rpm) => {
    const folder = join(into, architectureOf(rpm));
    mkdirSync(folder, { recursive: true });
    const copy = join(folder, basename(rpm));
    copyFileSync(rpm, copy);
    return { folder, copy };
  });
  key.signRpms(copies.map(({ copy }) => copy));
  expectSigned(
    copies.map(({ copy }) => copy),
    publicKey,
  );
  for (const folder of new Set(copies.map((each) => each.folder))) {
    execFileSync('createrepo_c', ['--quiet', '--no-database', folder], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const index = join(folder, 'repodata/repomd.xml');
    key.signBeside(index, `${index}.asc`);
  }
}

/** rpmsign may leave a package as it was and end with 0. */
function expectSigned(rpms: readonly string[], publicKey: string): void {
  const database = mkdtempSync(join(tmpdir(), 'brume-rpm-keys-'));
  try {
    const rpmkeys = (...args: string[]) =>
      spawnSync('rpmkeys', ['--dbpath', database, ...args], { encoding: 'utf8' });
    rpmkeys('--import', publicKey);
    const { status, stdout, stderr } = rpmkeys('--define', '_pkgverify_level all', '--checksig', ...rpms);
    if (status !== 0) throw new Error(`packages are not signed by the key:\n${stdout}${stderr}`);
  } finally {
    rmSync(database, { recursive: true, force: true });
  }
}

function architectureOf(rpm: string): string {
  return execFileSync('rpm', ['-qp', '--nosignature', '--queryformat', '%{ARCH}', rpm], { encoding: 'utf8' });
}
