import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { contentOf, type PackagedFile, writeTree } from './contents.ts';
import type { Architecture } from './node-binary.ts';
import { compressed, copy, DOCUMENTS, type PackageOptions, text } from './package-files.ts';
import { startedUnits } from './started-units.ts';
import { writeWhole } from './write-whole.ts';

/** The project has no mail address; SECURITY.md says how to reach it. */
const MAINTAINER = 'Brume maintainers <maintainers@brume.invalid>';
/** What Node.js is linked to, and what the maintainer scripts call. */
const DEPENDS = [
  'libc6 (>= 2.28)',
  'libgcc-s1 (>= 3.4)',
  'libstdc++6 (>= 8)',
  'init-system-helpers (>= 1.54~)',
  'systemd | systemd-standalone-sysusers | systemd-sysusers',
];
const SCRIPTS = ['preinst', 'postinst', 'prerm', 'postrm'];

/** Makes the Debian package; returns its path. */
export function writeDeb(options: PackageOptions): string {
  const { root, architecture, timeSeconds, outDir, workDir } = options;
  const version = debianVersion(options.version);
  const packaging = join(root, 'packaging/deb');
  const files = [
    ...options.files,
    copy(join(packaging, 'copyright'), `${DOCUMENTS}/copyright`),
    compressed(`${DOCUMENTS}/changelog.Debian.gz`, changelog(version, timeSeconds)),
    copy(join(packaging, 'lintian-overrides'), 'usr/share/lintian/overrides/brume'),
  ];

  const tree = join(workDir, 'deb');
  const control = [
    { path: 'DEBIAN/control', mode: 0o644, content: { text: controlFile(version, architecture, files) } },
    text(
      'DEBIAN/conffiles',
      lines(files.filter((file) => file.isConfiguration).map(({ path }) => `/${path}`)),
    ),
    text('DEBIAN/md5sums', lines(files.filter((file) => !file.isConfiguration).map(md5Line))),
    ...SCRIPTS.map((name) => ({
      path: `DEBIAN/${name}`,
      mode: 0o755,
      content: { text: filledIn(readFileSync(join(packaging, name), 'utf8'), version, options.files) },
    })),
  ];
  writeTree([...files, ...control], tree, timeSeconds);

  const path = join(outDir, `brume_${version}_${architecture}.deb`);
  return writeWhole(path, (beside) =>
    execFileSync('dpkg-deb', ['--root-owner-group', '-Zxz', '-z1', '--build', tree, beside], {
      env: { PATH: process.env.PATH, SOURCE_DATE_EPOCH: String(timeSeconds) },
      stdio: ['ignore', 'ignore', 'inherit'],
    }),
  );
}

/** A pre-release comes before its release there: 1.2.0-rc.1 is 1.2.0~rc.1. */
function debianVersion(version: string): string {
  return `${version.replace('-', '~')}-1`;
}

function controlFile(version: string, architecture: Architecture, files: readonly PackagedFile[]): string {
  const kibibytes = files.reduce((sum, file) => sum + Math.ceil(contentOf(file).length / 1024), 0);
  return lines([
    'Package: brume',
    `Version: ${version}`,
    `Architecture: ${architecture}`,
    `Maintainer: ${MAINTAINER}`,
    `Installed-Size: ${kibibytes}`,
    `Depends: ${DEPENDS.join(', ')}`,
    'Section: net',
    'Priority: optional',
    'Description: rate limits and quotas for reverse proxies and programs',
    ' Brume decides, for every request that a reverse proxy or a program asks about,',
    ' whether it may pass. It counts per user, address or key, answers with a',
    ' verdict, and leaves it to the proxy to let the request through or to turn it',
    ' away.',
    ' .',
    ' On one machine it needs nothing else. Several nodes share one Redis for the',
    ' counts and one PostgreSQL for the configuration.',
  ]);
}

function changelog(version: string, timeSeconds: number): string {
  const date = new Date(timeSeconds * 1000).toUTCString().replace('GMT', '+0000');
  return `brume (${version}) stable; urgency=medium\n\n  * See changelog.gz.\n\n -- ${MAINTAINER}  ${date}\n`;
}

function filledIn(script: string, version: string, files: readonly PackagedFile[]): string {
  return script
    .replaceAll('@VERSION@', () => version)
    .replaceAll('@UNITS@', () => startedUnits(files).join(' '));
}

function md5Line(file: PackagedFile): string {
  return `${createHash('md5').update(contentOf(file)).digest('hex')}  ${file.path}`;
}

function lines(texts: readonly string[]): string {
  return texts.map((line) => `${line}\n`).join('');
}
