import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type BareDebian, bareDebian, type Outcome } from './bare-debian.ts';
import { rpmPath } from './packages.ts';

/** A scratch root in which this machine's dnf installs; its files are a bare Debian's, with systemd, not booted. */
export interface RpmRoot extends BareDebian {
  /** Runs this machine's dnf on it, with the repositories of a folder alone. */
  dnf(repositories: string, ...args: string[]): Promise<Outcome>;
  /** Runs one that must succeed; gives what it printed. */
  mustDnf(repositories: string, ...args: string[]): Promise<string>;
  /** Runs this machine's rpm on it. */
  rpm(...args: string[]): Promise<Outcome>;
}

/** Makes one that goes when the test ends. It has, to RPM, what Brume requires of a distribution. */
export async function rpmRoot(t: Pick<TestContext, 'after'>): Promise<RpmRoot> {
  const debian = await bareDebian(t);
  await debian.must(
    'apt-get update -qq; DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends systemd libstdc++6',
  );
  const directory = mkdtempSync(join(tmpdir(), 'brume-rpm-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const configuration = join(directory, 'dnf.conf');
  writeFileSync(configuration, '[main]\ngpgcheck=1\nkeepcache=0\n');

  const rpm = (...args: string[]) => outcomeOf('rpm', '--root', debian.tree, ...args);
  const dnf = (repositories: string, ...args: string[]) =>
    outcomeOf(
      'dnf',
      ...[`--installroot=${debian.tree}`, `--config=${configuration}`, `--setopt=reposdir=${repositories}`],
      ...['--releasever=9', '--assumeyes', '--setopt=install_weak_deps=False', ...args],
    );
  async function mustDnf(repositories: string, ...args: string[]): Promise<string> {
    const { exitCode, output } = await dnf(repositories, ...args);
    if (exitCode !== 0) throw new Error(`dnf ${args.join(' ')}: exit ${exitCode}\n${output}`);
    return output;
  }

  const stub = await rpm('--install', baseCapabilities(directory));
  if (stub.exitCode !== 0) throw new Error(stub.output);
  return { ...debian, dnf, mustDnf, rpm };
}

/** A package that stands for a distribution: no other is at hand that dnf could take libc and systemd from. */
export function baseCapabilities(directory: string): string {
  const required = execFileSync('rpm', ['-qp', '--nosignature', '--requires', rpmPath()], {
    encoding: 'utf8',
  });
  const provided = new Set(required.split('\n').filter((line) => !/^(rpmlib|config)\(|^$/.test(line)));
  const spec = join(directory, 'base.spec');
  const lines = [
    ...['Name: base-capabilities', 'Version: 1', 'Release: 1', 'Summary: Stub', 'License: None'],
    ...['BuildArch: noarch', ...[...provided].map((capability) => `Provides: ${capability}`)],
    ...['%description', 'Stub.', '%files', ''],
  ];
  writeFileSync(spec, lines.join('\n'));
  mkdirSync(join(directory, 'out'));
  const macros = [`_topdir ${directory}`, `_rpmdir ${directory}/out`, '_rpmfilename base.rpm'];
  const defines = macros.flatMap((macro) => ['--define', macro]);
  execFileSync('rpmbuild', ['-bb', '--quiet', ...defines, spec], { stdio: ['ignore', 'ignore', 'inherit'] });
  return join(directory, 'out/base.rpm');
}

function outcomeOf(command: string, ...args: string[]): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    execFile(command, args, { maxBuffer: 16 * 1024 * 1024 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : error.code;
      if (typeof code === 'number') resolve({ exitCode: code, output: stdout + stderr });
      else reject(error);
    });
  });
}
