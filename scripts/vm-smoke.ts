/** The smoke test in a whole system. scripts/vm-smoke makes what this needs, and says how it is called. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { debianVersion, debPath, nextVersion, rpmPath, version } from '../test/packaging/packages.ts';
import { trialKey } from '../test/packaging/served-repository.ts';
import { inContainer } from './smoke/in-container.ts';
import { inMachine } from './smoke/in-machine.ts';
import { Report } from './smoke/report.ts';
import { twoNodes } from './smoke/two-nodes.ts';

const root = join(import.meta.dirname, '..');
/** Where the guest has what it is given. */
const GIVEN = '/opt/brume-smoke';
/** Where clients would have the repository from; the guest has it as files. */
const SERVED_AT = 'https://packages.brume.invalid';

const { values } = parseArgs({
  options: {
    vm: { type: 'boolean' },
    nspawn: { type: 'boolean' },
    report: { type: 'string' },
    minutes: { type: 'string', default: '30' },
    long: { type: 'boolean' },
  },
});
if (values.vm && values.nspawn) {
  process.stderr.write('scripts/vm-smoke: --vm or --nspawn, not both\n');
  process.exit(2);
}
const form = values.vm ? 'vm' : 'nspawn';

const ends: (() => void)[] = [];
const work = mkdtempSync('/var/tmp/brume-smoke-');
ends.push(() => rmSync(work, { recursive: true, force: true }));
const report = new Report(form);
try {
  const given = join(work, 'given');
  makeRepository(join(given, 'repository'));
  for (const name of ['smoke', 'second-node']) cpSync(join(root, 'packaging/vm', name), join(given, name));
  const command = [`${GIVEN}/smoke`, GIVEN, debianVersion(version), debianVersion(nextVersion)];
  if (values.long) command.push('long');
  if (form === 'vm') {
    writeFileSync(join(given, 'run'), `#!/bin/sh\nexec ${command.join(' ')}\n`, { mode: 0o755 });
    await inMachine({
      work,
      given,
      timeoutMs: Number(values.minutes) * 60_000,
      onLine: (line) => report.line(line),
    });
  } else {
    await inContainer({ given, place: GIVEN, command, onLine: (line) => report.line(line) });
    await twoNodes({
      given,
      place: GIVEN,
      version: debianVersion(version),
      onLine: (line) => report.line(line),
    });
  }
} catch (error) {
  report.broke(error instanceof Error ? error.message : String(error));
} finally {
  for (const end of ends.reverse()) end();
}
const { passed, failed } = report.end();
if (values.report !== undefined) writeFileSync(resolve(values.report), `${report.json()}\n`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

/** Of both versions, signed by a key that goes with this. */
function makeRepository(directory: string): void {
  const key = trialKey({ after: (end) => void ends.push(end as () => void) });
  const packages = join(work, 'packages');
  mkdirSync(packages);
  for (const each of [version, nextVersion]) {
    for (const path of [debPath(each), rpmPath(each)])
      cpSync(path, join(packages, path.split('/').at(-1) ?? ''));
  }
  execFileSync(
    join(root, 'scripts/repository'),
    ['--packages', packages, '--out', directory, '--key', key.fingerprint, '--url', SERVED_AT],
    { env: key.environment, stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const sources = join(directory, 'brume.sources');
  writeFileSync(sources, readFileSync(sources, 'utf8').replaceAll(SERVED_AT, `file://${GIVEN}/repository`));
  // The machine's disk has no use for the others.
  rmSync(join(directory, 'rpm'), { recursive: true });
}
