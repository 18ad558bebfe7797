/**
 * Makes the executable and the packages. scripts/package installs what this needs, and says how it is
 * called. Files are dated by SOURCE_DATE_EPOCH, or by the commit.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { writeDeb } from './packaging/deb.ts';
import { writeExecutable } from './packaging/executable.ts';
import { ARCHITECTURES, type Architecture } from './packaging/node-binary.ts';
import { packageFiles } from './packaging/package-files.ts';
import { writeRpm } from './packaging/rpm.ts';

const root = join(import.meta.dirname, '..');
const FORMATS = ['executable', 'deb', 'rpm'] as const;

const OPTIONS = {
  version: { type: 'string' },
  arch: { type: 'string', default: 'amd64' },
  only: { type: 'string' },
  out: { type: 'string', default: join(root, 'packages') },
} as const;

const values = optionsOf();
const version = expectVersion(
  values.version ?? JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version,
);
const formats = values.only === undefined ? FORMATS : FORMATS.filter((format) => format === values.only);
if (formats.length === 0) fail(`--only takes ${FORMATS.join(', ')}`);
const outDir = resolve(values.out);
const timeSeconds = Number(process.env.SOURCE_DATE_EPOCH ?? commitTime());

mkdirSync(outDir, { recursive: true });
for (const architecture of expectArchitectures(values.arch)) {
  const workDir = mkdtempSync(join(tmpdir(), 'brume-package-'));
  try {
    await make(architecture, workDir);
  } finally {
    rmSync(workDir, { recursive: true, force: true });
  }
}

async function make(architecture: Architecture, workDir: string): Promise<void> {
  const executable = join(outDir, `brume-${version}-linux-${architecture}`);
  await writeExecutable({ root, version, architecture, path: executable, workDir });
  console.log(executable);
  const files = packageFiles(root, executable, version);
  const options = { root, version, architecture, files, timeSeconds, outDir, workDir };
  if (formats.includes('deb')) console.log(writeDeb(options));
  if (formats.includes('rpm')) console.log(writeRpm(options));
}

function expectArchitectures(name: string): Architecture[] {
  const all: Architecture[] = ['amd64', 'arm64'];
  if (name === 'all') return all;
  const [found] = all.filter((architecture) => architecture === name);
  return [found ?? fail(`--arch takes ${Object.keys(ARCHITECTURES).join(', ')} or all`)];
}

/** SemVer without build metadata, which no package format has a place for. */
function expectVersion(text: string): string {
  return /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(text)
    ? text
    : fail('--version takes a version such as 1.2.3 or 1.3.0-rc.1');
}

function commitTime(): string {
  return execFileSync('git', ['-C', root, 'log', '-1', '--format=%ct'], { encoding: 'utf8' }).trim();
}

function optionsOf() {
  try {
    return parseArgs({ options: OPTIONS }).values;
  } catch (error) {
    return fail(
      `${error instanceof Error ? error.message : String(error)}: it takes --version, --arch, --only and --out`,
    );
  }
}

function fail(message: string): never {
  process.stderr.write(`scripts/package: ${message}\n`);
  process.exit(2);
}
