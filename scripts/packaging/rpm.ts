import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { foldersOf, type PackagedFile, writeTree } from './contents.ts';
import type { Architecture } from './node-binary.ts';
import { copy, DOCUMENTS, type PackageOptions } from './package-files.ts';
import { startedUnits } from './started-units.ts';
import { writeWhole } from './write-whole.ts';

const RPM_ARCHITECTURES: Record<Architecture, string> = { amd64: 'x86_64', arm64: 'aarch64' };
/** Also installed where documentation is left out. */
const LICENCES = 'usr/share/licenses/brume';
/** Where RPM's distributions have what Debian has elsewhere. */
const MOVED: readonly (readonly [string, string])[] = [
  ['usr/share/zsh/vendor-completions', 'usr/share/zsh/site-functions'],
  [`${DOCUMENTS}/THIRD-PARTY.md.gz`, `${LICENCES}/THIRD-PARTY.md.gz`],
  [`${DOCUMENTS}/NODE-LICENSE.gz`, `${LICENCES}/NODE-LICENSE.gz`],
];
/** Folders that go with the package unless another one has them too: no package of a shell is required. */
const OWNED =
  /^(etc\/brume|usr\/lib\/brume|usr\/share\/((doc\/|licenses\/)?brume|zsh|fish|bash-completion)(\/.*)?)$/;

/** Makes the RPM package; returns its path. */
export function writeRpm(options: PackageOptions): string {
  const { root, architecture, timeSeconds, outDir, workDir } = options;
  const version = rpmVersion(options.version);
  const files = byRpmCustoms(root, options.files);
  const top = join(workDir, 'rpm');
  const [laidOut, fileList, spec] = [join(top, 'tree'), join(top, 'files'), join(top, 'brume.spec')];
  mkdirSync(laidOut, { recursive: true });
  writeTree(files, laidOut, timeSeconds);
  writeFileSync(fileList, fileLines(files));
  writeFileSync(
    spec,
    filledIn(readFileSync(join(root, 'packaging/rpm/brume.spec'), 'utf8'), root, version, files),
  );

  const name = `brume-${version}-1.${RPM_ARCHITECTURES[architecture]}.rpm`;
  return writeWhole(join(outDir, name), (beside) => {
    const macros = {
      _topdir: top,
      _rpmdir: dirname(beside),
      _rpmfilename: basename(beside),
      laid_out: laidOut,
      file_list: fileList,
    };
    const defines = Object.entries(macros).flatMap(([macro, value]) => ['--define', `${macro} ${value}`]);
    const target = `${RPM_ARCHITECTURES[architecture]}-linux`;
    execFileSync('rpmbuild', ['-bb', '--quiet', '--target', target, ...defines, spec], {
      // HOME: neither somebody's own macros nor a database of installed packages.
      env: { PATH: process.env.PATH, HOME: top, LC_ALL: 'C.UTF-8', SOURCE_DATE_EPOCH: String(timeSeconds) },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  });
}

/** A pre-release comes before its release there: 1.2.0-rc.1 is 1.2.0~rc.1; a further hyphen may not be in it. */
function rpmVersion(version: string): string {
  return version.replace('-', '~').replaceAll('-', '_');
}

function byRpmCustoms(root: string, files: readonly PackagedFile[]): PackagedFile[] {
  return [
    ...files.map((file) => ({ ...file, path: moved(file.path) })),
    copy(join(root, 'LICENSE'), `${LICENCES}/LICENSE`),
    copy(join(root, 'systemd/presets/90-brume.preset'), 'usr/lib/systemd/system-preset/90-brume.preset'),
  ];
}

function moved(path: string): string {
  const [from, to] = MOVED.find(([old]) => path.startsWith(old)) ?? ['', ''];
  return `${to}${path.slice(from.length)}`;
}

/** What belongs to the package, as the %files section has it. */
function fileLines(files: readonly PackagedFile[]): string {
  const folders = [...foldersOf(files)].filter((folder) => OWNED.test(folder)).sort();
  return [
    ...folders.map((folder) => `%dir %attr(0755,root,root) /${folder}`),
    // Made at the first start; goes with the package only if it is empty.
    '%ghost %dir %attr(0700,brume,brume) /var/lib/brume',
    ...files.map(fileLine),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

function fileLine({ path, mode, isConfiguration }: PackagedFile): string {
  const permissions = mode.toString(8).padStart(4, '0');
  if (isConfiguration) return `%config(noreplace) %attr(${permissions},root,brume) /${path}`;
  const kind = path.startsWith(LICENCES) ? '%license ' : '';
  return `${kind}%attr(${permissions},root,root) /${path}`;
}

function filledIn(spec: string, root: string, version: string, files: readonly PackagedFile[]): string {
  const sysusers = readFileSync(join(root, 'systemd/sysusers.d/brume.conf'), 'utf8').trim();
  return spec
    .replaceAll('@VERSION@', () => version)
    .replaceAll('@UNITS@', () => startedUnits(files).join(' '))
    .replaceAll('@SYSUSERS@', () => sysusers.replaceAll('%', '%%'));
}
