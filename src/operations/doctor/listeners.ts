import { accessSync, constants, lstatSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf, type Finding, tellerOf } from './finding.ts';
import { ask, type Heard } from './listener-probe.ts';
import type { ExaminedSettings, Patient } from './patient.ts';
import { bindFault, holderOfPort } from './port.ts';

const tell = tellerOf('listeners');

/** A place at which Brume listens by its configuration. */
interface Listener {
  readonly variable: string;
  readonly place:
    | { readonly host: string; readonly port: number; readonly isTls: boolean }
    | { readonly path: string };
  /** As it is written. */
  readonly text: string;
}

/** Whether what serves answers at each place, or else whether it could be taken at the next start. */
export async function examineListeners({ settings, running }: Patient): Promise<Finding[]> {
  // Who may not ask on the admin socket can't tell whether it runs; an answer elsewhere says so.
  const isRunning = running.status !== undefined;
  return Promise.all(listenersOf(settings).map((listener) => examine(listener, isRunning)));
}

/** How many there are. */
export function listenerCount(settings: ExaminedSettings): number {
  return listenersOf(settings).length;
}

function listenersOf(settings: ExaminedSettings): Listener[] {
  const { listen, socket, adminSocket, managementListen, managementTlsCert } = settings;
  const tcp = (variable: string, address: typeof listen, isTls: boolean): Listener[] =>
    address === null ? [] : [{ variable, place: { ...address, isTls }, text: addressText(address) }];
  const unix = (variable: string, path: string | null): Listener[] =>
    path === null ? [] : [{ variable, place: { path }, text: path }];
  return [
    ...tcp('BRUME_LISTEN', listen, false),
    ...unix('BRUME_SOCKET', socket),
    ...unix('BRUME_ADMIN_SOCKET', adminSocket),
    ...tcp('BRUME_MANAGEMENT_LISTEN', managementListen, managementTlsCert !== null),
  ];
}

async function examine(listener: Listener, isRunning: boolean): Promise<Finding> {
  const { variable, place, text } = listener;
  const where = `${variable} ${text}`;
  if ('port' in place && place.port === 0)
    return tell.unseen(`${where}: any free port is taken.`, 'Name one.');
  const heard = await ask(place);
  if (heard.kind === 'brume') return tell.ok(`${where}: Brume ${heard.version} answers.`);
  if (heard.kind === 'nobody') return isRunning ? notThere(where) : takeable(listener);
  if ('path' in place) return disturbed(where, variable, heard);
  // An address that is another machine's is silent, too.
  if ((await bindFault(place)) === 'EADDRNOTAVAIL') return noAddress(where, variable);
  return disturbed(where, variable, heard, holderOfPort(place.port));
}

function notThere(where: string): Finding {
  return tell.failure(
    `${where}: nobody listens there, although Brume runs.`,
    'It was started with other settings: systemctl reload brume, or look at what it was given.',
  );
}

function disturbed(where: string, variable: string, heard: Heard, holder?: string): Finding {
  const by = holder === undefined ? '' : ` (${holder})`;
  switch (heard.kind) {
    case 'other':
      return tell.failure(
        `${where}: another program answers there${by}.`,
        `Stop it, or set ${variable} to another place.`,
      );
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
        `Look whether the network of this machine is up, or set ${variable} to another place.`,
      );
  }
}

/** Nobody listens there. */
async function takeable({ variable, place, text }: Listener): Promise<Finding> {
  const where = `${variable} ${text}`;
  if ('path' in place) return makeable(where, variable, place.path);
  const fault = await bindFault(place);
  switch (fault) {
    case undefined:
      return tell.ok(`${where}: nobody listens there, and Brume can.`);
    case 'EADDRINUSE':
      return tell.failure(
        `${where}: the port is taken${holderText(holderOfPort(place.port))}.`,
        `Stop who has it (ss -ltnp), or set ${variable} to another place.`,
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
