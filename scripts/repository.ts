/**
 * Makes the apt and the dnf repository. scripts/repository installs what this needs, and says how it is
 * called. Ends with 2 for what it was told, with 1 for what went wrong.
 */
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { constants } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { writeAptRepository } from './packaging/apt-repository.ts';
import { writeDnfRepository } from './packaging/dnf-repository.ts';
import { publishedUrl } from './packaging/published-url.ts';
import { stopTools } from './packaging/run-tool.ts';
import { SigningKey } from './packaging/signing-key.ts';
import { expectSound } from './packaging/sound-packages.ts';

const root = join(import.meta.dirname, '..');
const OPTIONS = {
  packages: { type: 'string' },
  out: { type: 'string' },
  key: { type: 'string' },
  url: { type: 'string' },
} as const;
/** As scripts/package names them: no other character gets into an index. */
const DEB = /^brume_[\w.~-]+_(amd64|arm64)\.deb$/;
const RPM = /^brume-[\w.~-]+\.(x86_64|aarch64)\.rpm$/;

const given = optionsOf();
const packagesDir = resolve(given.packages ?? fail('--packages names the folder of the packages'));
const outDir = resolve(given.out ?? fail('--out names the folder that is made'));
const fingerprint = given.key ?? fail('--key gives the fingerprint of the key');
const url = given.url === undefined ? undefined : told(() => publishedUrl(given.url ?? ''), '--url');
const debs = packagesOf(DEB, '.deb');
const rpms = packagesOf(RPM, '.rpm');
// What is published and no longer among the packages would stay, unsigned by any index.
if (told(() => isThere(outDir), '--out'))
  fail(`--out ${given.out} is there already: name a folder that is not`);
const key = await SigningKey.find(fingerprint).catch((error) =>
  fail(`--key ${fingerprint}: ${messageOf(error)}`),
);

await expectSound(debs, rpms).catch((error) => fail(`--packages: ${messageOf(error)}`));

// Whoever serves them reads them.
process.umask(0o022);
const unfinished = told(() => besides(outDir), '--out');
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    stopTools();
    remove();
    process.exit(128 + constants.signals[signal]);
  });
}
try {
  const publicKey = join(unfinished, 'brume.asc');
  await key.writePublicKey(publicKey);
  await writeAptRepository(debs, join(unfinished, 'deb'), key);
  await writeDnfRepository(rpms, join(unfinished, 'rpm'), key, publicKey);
  if (url !== undefined) writeClientSettings(url);
  renameSync(unfinished, outDir);
  console.log(outDir);
} catch (error) {
  remove();
  fail(messageOf(error), 1);
}

function writeClientSettings(servedAt: string): void {
  for (const name of ['brume.sources', 'brume.repo']) {
    const settings = readFileSync(join(root, 'packaging/repository', name), 'utf8');
    writeFileSync(
      join(unfinished, name),
      settings.replaceAll('@URL@', () => servedAt),
    );
  }
}

function packagesOf(pattern: RegExp, kind: string): string[] {
  const names = told(() => readdirSync(packagesDir), '--packages');
  const found = names.filter((name) => pattern.test(name)).sort();
  if (found.length === 0) fail(`--packages ${given.packages} has no ${kind} as scripts/package makes it`);
  return found.map((name) => join(packagesDir, name));
}

/** A new folder beside that of the name, which is there only when all is done. */
function besides(path: string): string {
  makeFolder(dirname(path));
  const folder = mkdtempSync(`${path}.unfinished-`);
  chmodSync(folder, 0o755);
  return folder;
}

/** Folder by folder: Node.js's own `recursive` never ends in a file system without folders to make, as /proc. */
function makeFolder(path: string): void {
  if (isThere(path)) return;
  makeFolder(dirname(path));
  mkdirSync(path);
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function remove(): void {
  rmSync(unfinished, { recursive: true, force: true });
}

function optionsOf() {
  try {
    return parseArgs({ options: OPTIONS }).values;
  } catch (error) {
    return fail(`${messageOf(error)}: it takes --packages DIR --out DIR --key FINGERPRINT [--url URL]`);
  }
}

/** For what can only fail by what an option says. */
function told<T>(read: () => T, option: string): T {
  try {
    return read();
  } catch (error) {
    return fail(`${option}: ${messageOf(error)}`);
  }
}

/** One line. */
function fail(message: string, exitCode = 2): never {
  process.stderr.write(`scripts/repository: ${message.replaceAll(/\s*\n\s*/g, ' ')}\n`);
  process.exit(exitCode);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
