import { accessSync, constants, lstatSync } from 'node:fs';
import { dirname } from 'node:path';
import type { SocketUnitName, SocketUnits } from '../installed/socket-units.ts';
import { codeOf, type Finding, tellerOf } from './finding.ts';
import type { Listener } from './listener.ts';
import { ask, type Heard } from './listener-probe.ts';
import type { ExaminedSettings, Patient } from './patient.ts';
import { bindFault, holderOfPort } from './port.ts';
import { offInBoth, unitFinding } from './socket-unit-findings.ts';
import { elsewhereInBoth, SOCKET_FILE_BACK } from './socket-unit-remedies.ts';

const tell = tellerOf('listeners');

const OTHER_SETTINGS =
  'It was started with other settings: systemctl reload brume, or look at what it was given.';

/** Whether what serves answers at each place, or else whether it could be taken at the next start. */
export async function examineListeners({ settings, running, installed }: Patient): Promise<Finding[]> {
  // Who may not ask on the admin socket can't tell whether it runs; an answer elsewhere says so.
  const isRunning = running.status !== undefined || running.process !== undefined;
  const { sockets } = installed ?? {};
  const findings = [...listenersOf(settings), ...besidesSettings(settings, sockets)].map(
    (listener) => unitFinding(listener, { sockets, isRunning }) ?? examine(listener, isRunning, sockets),
  );
  const off = settings.managementListen === null ? offInBoth(sockets) : [];
  return [...(await Promise.all(findings)), ...off];
}

/** How many there are. */
export function listenerCount(settings: ExaminedSettings): number {
  return listenersOf(settings).length;
}

function listenersOf(settings: ExaminedSettings): Listener[] {
  const { listen, socket, adminSocket, managementListen, managementTlsCert } = settings;
  const tcp = (variable: string, unit: SocketUnitName, address: typeof listen, isTls = false): Listener[] =>
    address === null ? [] : [{ variable, unit, place: { ...address, isTls }, text: addressText(address) }];
  const unix = (variable: string, unit: SocketUnitName, path: string | null): Listener[] =>
    path === null ? [] : [{ variable, unit, place: { path }, text: path }];
  return [
    ...tcp('BRUME_LISTEN', 'brume.socket', listen),
    ...unix('BRUME_SOCKET', 'brume.socket', socket),
    ...unix('BRUME_ADMIN_SOCKET', 'brume-admin.socket', adminSocket),
    ...tcp(
      'BRUME_MANAGEMENT_LISTEN',
      'brume-management.socket',
      managementListen,
      managementTlsCert !== null,
    ),
  ];
}

/** Unix sockets of the data plane that systemd opens without a setting, as the packaged unit does. */
function besidesSettings({ socket }: ExaminedSettings, sockets: SocketUnits | undefined): Listener[] {
  const unit = 'brume.socket';
  const { isActive = false, places = [] } = sockets?.[unit] ?? {};
  return places
    .filter((path) => isActive && path.startsWith('/') && path !== socket)
    .map((path) => ({ variable: unit, unit, place: { path }, text: path }));
}

async function examine(
  listener: Listener,
  isRunning: boolean,
  sockets: SocketUnits | undefined,
): Promise<Finding> {
  const { variable, unit, place, text } = listener;
  const another =
    sockets === undefined ? `set ${variable} to another place.` : elsewhereInBoth(unit, variable);
  const where = `${variable} ${text}`;
  // systemd's own sockets don't come and go with the settings of a process.
  const notThereRemedy = sockets !== undefined && 'path' in place ? SOCKET_FILE_BACK : OTHER_SETTINGS;
  if ('port' in place && place.port === 0)
    return tell.unseen(`${where}: any free port is taken.`, 'Name one.');
  const heard = await ask(place);
  if (heard.kind === 'brume') return tell.ok(`${where}: Brume ${heard.version} answers.`);
  if (heard.kind === 'nobody')
    return isRunning ? notThere(where, notThereRemedy) : takeable(listener, another);
  if ('path' in place) return disturbed(where, another, heard);
  // An address that is another machine's is silent, too.
  if ((await bindFault(place)) === 'EADDRNOTAVAIL') return noAddress(where, variable);
  return disturbed(where, another, heard, holderOfPort(place.port));
}

function notThere(where: string, remedy: string): Finding {
  return tell.failure(`${where}: nobody listens there, although Brume runs.`, remedy);
}

function disturbed(where: string, another: string, heard: Heard, holder?: string): Finding {
  const by = holder === undefined ? '' : ` (${holder})`;
  switch (heard.kind) {
    case 'other':
      return tell.failure(`${where}: another program answers there${by}.`, `Stop it, or ${another}`);
    case 'silent':
      return tell.failure(
        `${where}: somebody listens there${by}, and does not answer within ${heard.timeoutMs / 1000} s.`,
        'If it is Brume it hangs or could not be started: journalctl -u brume -u "brume@*" says why.',
      );
    case 'not_permitted':
      return tell.unseen(`${where}: this user may not connect.`, 'Run this as root.');
    default:
      return tell.failure(
        `${where}: it can't be reached (${heard.kind === 'fault' ? heard.code : heard.kind}).`,
        `Look whether the network of this machine is up, or ${another}`,
      );
  }
}

/** Nobody listens there. */
async function takeable({ variable, place, text }: Listener, another: string): Promise<Finding> {
  const where = `${variable} ${text}`;
  if ('path' in place) return makeable(where, variable, place.path);
  const fault = await bindFault(place);
  switch (fault) {
    case undefined:
      return tell.ok(`${where}: nobody listens there, and Brume can.`);
    case 'EADDRINUSE':
      return tell.failure(
        `${where}: the port is taken${holderText(holderOfPort(place.port))}.`,
        `Stop who has it (ss -ltnp), or ${another}`,
      );
    case 'EACCES':
      return tell.failure(
        `${where}: this user may not listen there.`,
        'Take a port from 1024 on, or let systemd open it (systemctl edit brume.socket).',
      );
    default:
      return noAddress(where, variable);
  }
}

function noAddress(where: string, variable: string): Finding {
  return tell.failure(
    `${where}: this machine has no such address.`,
    `Set ${variable} to an address of this machine: ip address shows them.`,
  );
}

function holderText(holder: string | undefined): string {
  return holder === undefined ? '' : `, by ${holder}`;
}

function makeable(where: string, variable: string, path: string): Finding {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) return directoryOf(where, path);
    if (found.isSocket())
      return tell.ok(
        `${where}: nobody listens on the socket that is left there; the next start replaces it.`,
      );
    return tell.failure(
      `${where}: what is there is no socket, and is left alone at the start.`,
      `Move it away, or set ${variable} to another path.`,
    );
  } catch (error) {
    return tell.unseen(`${where}: this user may not look there (${codeOf(error)}).`, 'Run this as root.');
  }
}

function directoryOf(where: string, path: string): Finding {
  const directory = nearestDirectory(dirname(path));
  try {
    accessSync(directory, constants.W_OK | constants.X_OK);
    return tell.ok(`${where}: it can be made.`);
  } catch (error) {
    // Whoever runs Brume may be somebody else, and systemd makes directories for it.
    return tell.unseen(
      `${where}: this user can't make it in ${directory} (${codeOf(error)}).`,
      `Run this as root; where Brume does not run under systemd, create ${dirname(path)} for its user.`,
    );
  }
}

function nearestDirectory(path: string): string {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found === undefined && path !== '/' ? nearestDirectory(dirname(path)) : path;
}

function addressText({ host, port }: { host: string; port: number }): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
