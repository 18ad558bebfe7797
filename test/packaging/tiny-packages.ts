import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const CONTROL = `Package: brume
Version: 0.0.1-1
Architecture: amd64
Maintainer: nobody <nobody@brume.invalid>
Description: nothing
`;
const SPEC = `Name: brume
Version: 0.0.1
Release: 1
Summary: nothing
License: none
%description
%files
`;

/** A Debian and an RPM package by Brume's names with nothing in them, for what is not about their contents. */
export function writeTinyPackages(into: string): void {
  const work = mkdtempSync('/var/tmp/brume-tiny-');
  try {
    mkdirSync(join(work, 'deb/DEBIAN'), { recursive: true });
    writeFileSync(join(work, 'deb/DEBIAN/control'), CONTROL);
    writeFileSync(join(work, 'brume.spec'), SPEC);
    const [deb, rpm] = ['brume_0.0.1-1_amd64.deb', 'brume-0.0.1-1.x86_64.rpm'];
    execFileSync('dpkg-deb', ['--build', 'deb', deb], { cwd: work, stdio: 'ignore' });
    const macros = [`_topdir ${work}`, `_rpmdir ${work}`, `_rpmfilename ${rpm}`];
    const defines = macros.flatMap((macro) => ['--define', macro]);
    execFileSync('rpmbuild', ['-bb', '--quiet', '--target', 'x86_64-linux', ...defines, 'brume.spec'], {
      cwd: work,
      stdio: 'ignore',
    });
    for (const made of [deb, rpm]) cpSync(join(work, made), join(into, made));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
