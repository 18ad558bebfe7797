import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { runTool } from './run-tool.ts';
import type { SigningKey } from './signing-key.ts';

/** Makes a dnf repository an architecture in an empty folder; throws where a package's signature doesn't hold. */
export async function writeDnfRepository(
  rpms: readonly string[],
  into: string,
  key: SigningKey,
  publicKey: string,
): Promise<void> {
  mkdirSync(into);
  const copies: string[] = [];
  for (const rpm of rpms) {
    const copy = `${await architectureOf(rpm)}/${basename(rpm)}`;
    mkdirSync(dirname(join(into, copy)), { recursive: true });
    copyFileSync(rpm, join(into, copy));
    copies.push(copy);
  }
  await key.signRpms(copies, into);
  await expectSigned(copies, into, publicKey);
  for (const folder of new Set(copies.map((copy) => join(into, dirname(copy))))) {
    await runTool('createrepo_c', ['--quiet', '--no-database', '.'], { cwd: folder });
    const index = join(folder, 'repodata/repomd.xml');
    await key.signBeside(index, `${index}.asc`);
  }
}

/** rpmsign may leave a package as it was and end with 0. */
async function expectSigned(rpms: readonly string[], cwd: string, publicKey: string): Promise<void> {
  // Not in TMPDIR: rpm takes some characters of this path for its macros.
  const database = mkdtempSync('/var/tmp/brume-rpm-keys-');
  try {
    const rpmkeys = (folder: string, ...args: string[]) =>
      runTool('rpmkeys', ['--dbpath', database, ...args], { cwd: folder });
    await rpmkeys(dirname(publicKey), '--import', basename(publicKey));
    await rpmkeys(cwd, '--define', '_pkgverify_level all', '--checksig', ...rpms);
  } catch (error) {
    throw new Error(
      `packages are not signed by the key: ${error instanceof Error ? error.message : String(error)}`,
    );
  } finally {
    rmSync(database, { recursive: true, force: true });
  }
}

/** rpm would take some characters of a path for a pattern. */
async function architectureOf(rpm: string): Promise<string> {
  const options = ['-qp', '--nosignature', '--queryformat', '%{ARCH}'];
  return runTool('rpm', [...options, basename(rpm)], { cwd: dirname(rpm) });
}
