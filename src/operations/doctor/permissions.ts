import { lstatSync, readdirSync, readlinkSync, type Stats, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type ServiceUser, userName } from '../installed/users.ts';
import { codeOf, type Finding, tellerOf } from './finding.ts';
import type { GivenFile, Patient } from './patient.ts';
import { mayRead, serviceUser } from './service-user.ts';

const tell = tellerOf('permissions');

const OTHERS_READ = 0o004;
const OTHERS_ANY = 0o007;
const NOT_OWNER_WRITE = 0o022;
const OTHERS_WRITE = 0o002;
/** Then whoever may write a directory may still not touch what is another's in it. */
const STICKY = 0o1000;
/** What only its owner may enter. */
const PRIVATE = 0o077;
const NAMED_MAX = 3;
/** That systemd makes for the packaged unit. */
const PACKAGED_STATE_DIR = '/var/lib/brume';
/** That belongs to the packages, with all that is in it. */
const PACKAGED_CONFIG_DIR = '/etc/brume';

/** Whether secrets are kept from others, and whether who runs Brume can read and write what it needs. */
export function examinePermissions({ settings, files, running, installed }: Patient): Finding[] {
  const { stateDir } = settings;
  const user = serviceUser(running.process, { unitUser: installed?.user, stateDir });
  const [configuration] = files.filter(({ variable }) => variable === null);
  const opened = installed?.sockets['brume.socket'].places.filter((place) => place.startsWith('/')) ?? [];
  const sockets = new Set([settings.adminSocket, settings.socket, ...opened].flatMap((path) => path ?? []));
  return [
    ...files.flatMap((file) => fileFindings(file, user)),
    ...(configuration === undefined ? [] : besidesFindings(configuration.path)),
    ...openFindings([...files.map(({ path }) => path), stateDir]),
    ...(installed === undefined ? [] : linkFindings(PACKAGED_STATE_DIR)),
    ...stateFindings(stateDir, user),
    ...[...sockets].flatMap(socketFindings),
  ];
}

function fileFindings(file: GivenFile, user: ServiceUser | undefined): Finding[] {
  const { path, variable, isSecret } = file;
  const what = variable === null ? path : `${variable} ${path}`;
  let stats: Stats;
  try {
    stats = statSync(path);
  } catch (error) {
    if (variable === null && codeOf(error) === 'ENOENT')
      return [tell.ok(`${path}: there is none, and none is needed.`)];
    return [tell.unseen(`${what}: it can't be looked at (${codeOf(error)}).`, 'Run this as root.')];
  }
  const faults: Finding[] = [];
  if (isSecret && (stats.mode & OTHERS_READ) !== 0)
    faults.push(
      tell.failure(
        `${what}: everybody on this machine can read it, and it holds a secret.`,
        file.isCredential === true
          ? `Change the secret, and run: chown root: ${path} && chmod 600 ${path}`
          : `Change the secret, and run: chown root:brume ${path} && chmod 640 ${path}`,
      ),
    );
  if ((stats.mode & NOT_OWNER_WRITE) !== 0 && !isOfRoot(stats))
    faults.push(tell.failure(`${what}: others than its owner can write it.`, `Run: chmod go-w ${path}`));
  // Credentials are read by systemd, as root; Brume gets copies.
  if (user !== undefined && file.isCredential !== true && !mayRead(user, stats))
    faults.push(
      tell.failure(
        `${what}: ${user.name}, who runs Brume, may not read it (mode ${octal(stats)}, of ${userName(stats.uid)}).`,
        `Run: chgrp GROUP ${path} && chmod g+r ${path}, with a group of ${user.name}.`,
      ),
    );
  return faults.length > 0 ? faults : [tell.ok(`${what}: mode ${octal(stats)}.`)];
}

/** Root's own group may write what root's is: nobody else is in it. */
function isOfRoot({ mode, gid }: Stats): boolean {
  return gid === 0 && (mode & 0o002) === 0;
}

/** What else is in the packaged directory of settings: certificates, files with secrets that nothing names yet. */
function besidesFindings(configuration: string): Finding[] {
  const directory = dirname(configuration);
  if (directory !== PACKAGED_CONFIG_DIR) return [];
  const writable = namesIn(directory)
    .map((name) => join(directory, name))
    .filter((path) => path !== configuration)
    .filter((path) => {
      const stats = lstatSync(path, { throwIfNoEntry: false });
      return stats !== undefined && !stats.isSymbolicLink() && (stats.mode & OTHERS_WRITE) !== 0;
    });
  if (writable.length === 0) return [];
  return [
    tell.failure(
      `${someOf(writable)}: everybody on this machine can write it.`,
      `Look what is in it, and run: chmod o-w ${writable.join(' ')}`,
    ),
  ];
}

/** Whoever may write one of the directories above a file can put another file in its place. */
function openFindings(paths: readonly string[]): Finding[] {
  const above = new Set(paths.flatMap((path) => directoriesAbove(path)));
  return [...above].flatMap((directory) => {
    const stats = statOf(directory);
    if (stats === undefined || (stats.mode & OTHERS_WRITE) === 0 || (stats.mode & STICKY) !== 0) return [];
    return [
      tell.failure(
        `${directory}: everybody on this machine can replace what is in it (mode ${octal(stats)}).`,
        `Look whether somebody did, and run: chmod o-w ${directory}`,
      ),
    ];
  });
}

function directoriesAbove(path: string): string[] {
  const directory = dirname(path);
  return directory === path ? [] : [directory, ...directoriesAbove(directory)];
}

/** systemd makes no directory where a link is, and starts nothing where that leads to none (238/STATE_DIRECTORY). */
function linkFindings(path: string): Finding[] {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return [];
  if (statOf(path)?.isDirectory() === true) return [];
  const place = resolve(dirname(path), readlinkSync(path));
  return [
    tell.failure(
      `${path}: it is a link to ${place}, where no directory is: systemd does not start Brume so (238/STATE_DIRECTORY).`,
      `Mount or make ${place}, or remove the link: rm ${path}`,
    ),
  ];
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function stateFindings(stateDir: string, user: ServiceUser | undefined): Finding[] {
  let names: string[];
  let stats: Stats;
  try {
    stats = statSync(stateDir);
    names = readdirSync(stateDir);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [tell.ok(`${stateDir}: it is made at the first start.`)];
    return [tell.unseen(`${stateDir}: it can't be looked at (${codeOf(error)}).`, 'Run this as root.')];
  }
  const faults: Finding[] = [];
  if ((stats.mode & PRIVATE) !== 0 && !areAllPrivate(stateDir, names))
    faults.push(
      tell.failure(
        `${stateDir}: others than its owner can look into it (mode ${octal(stats)}), where hashes of keys and the secret of this installation are.`,
        `Run: chmod 700 ${stateDir}`,
      ),
    );
  if ((stats.mode & NOT_OWNER_WRITE) !== 0)
    faults.push(
      tell.failure(
        `${stateDir}: others than its owner can replace what is in it (mode ${octal(stats)}).`,
        `Look whether somebody did, and run: chmod 700 ${stateDir}`,
      ),
    );
  const foreign = user === undefined || user.uid === 0 ? [] : foreignIn(stateDir, names, user);
  if (foreign.length > 0)
    faults.push(
      tell.failure(
        `${stateDir}: ${someOf(foreign)} does not belong to ${user?.name}, who runs Brume and can't write it.`,
        `Run commands on the stores as ${user?.name}, not as root; now: chown -R ${user?.name}: ${stateDir}`,
      ),
    );
  return faults.length > 0
    ? faults
    : [tell.ok(`${stateDir}: mode ${octal(stats)}, of ${userName(stats.uid)}.`)];
}

function areAllPrivate(directory: string, names: readonly string[]): boolean {
  return names.every((name) => {
    const stats = lstatSync(join(directory, name), { throwIfNoEntry: false });
    return stats === undefined || stats.isSocket() || (stats.mode & PRIVATE) === 0;
  });
}

/** The directory itself as `.`. */
function foreignIn(directory: string, names: readonly string[], { uid }: ServiceUser): string[] {
  return ['.', ...names].filter((name) => {
    const stats = lstatSync(join(directory, name), { throwIfNoEntry: false });
    return stats !== undefined && !stats.isSocket() && stats.uid !== uid;
  });
}

function socketFindings(path: string): Finding[] {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined || !stats.isSocket()) return [];
    if ((stats.mode & OTHERS_ANY) === 0) return [tell.ok(`${path}: mode ${octal(stats)}.`)];
    return [
      tell.failure(
        `${path}: everybody on this machine may use this socket (mode ${octal(stats)}).`,
        `Where systemd opens it, set SocketMode=0660 in its unit; now: chmod 660 ${path}`,
      ),
    ];
  } catch (error) {
    return [tell.unseen(`${path}: it can't be looked at (${codeOf(error)}).`, 'Run this as root.')];
  }
}

function octal({ mode }: Stats): string {
  return (mode & 0o7777).toString(8).padStart(4, '0');
}

function someOf(names: readonly string[]): string {
  const more = names.length - NAMED_MAX;
  return names.slice(0, NAMED_MAX).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
