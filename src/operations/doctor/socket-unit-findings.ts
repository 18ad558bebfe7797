import { lstatSync } from 'node:fs';
import type { SocketUnits } from '../installed/socket-units.ts';
import { codeOf, type Finding, tellerOf } from './finding.ts';
import type { Listener } from './listener.ts';
import { SOCKET_FILE_BACK, sameInBoth, socketBack } from './socket-unit-remedies.ts';

const tell = tellerOf('listeners');

/** What a socket unit says of a place, where that settles how it is; undefined: it is to be asked. */
export function unitFinding(
  { variable, unit, place, text }: Listener,
  { sockets, isRunning }: { readonly sockets: SocketUnits | undefined; readonly isRunning: boolean },
): Finding | undefined {
  const found = sockets?.[unit];
  if (found === undefined) return undefined;
  const where = `${variable} ${text}`;
  const { isMasked, isActive, places } = found;
  if (isMasked && unit === 'brume-management.socket')
    return tell.ok(`${where}: the management plane is switched off, ${unit} is masked.`);
  if (isMasked)
    return tell.failure(
      `${where}: ${unit} is masked: ${unit === 'brume.socket' ? "Brume can't start" : 'the command line reaches nobody'}.`,
      `Run: systemctl unmask ${unit}, then systemctl stop brume && systemctl start brume`,
    );
  const isSame = places.some((opened) => isSamePlace(opened, text));
  if (!isSame) {
    const paths = places.filter((opened) => opened.startsWith('/') !== 'path' in place);
    return tell.failure(
      `${where}: ${unit} opens ${places.join(' and ') || 'nothing'}${'path' in place ? '' : ', and Brume refuses to start where they differ'}.`,
      sameInBoth(unit, variable, [text, ...paths]),
    );
  }
  if (isRunning && !isActive)
    return tell.failure(`${where}: ${unit} is stopped, although Brume runs.`, socketBack(unit));
  if (isActive && 'path' in place && isAbsent(place.path))
    return tell.failure(
      `${where}: the socket was removed, although ${unit} is open: who asks there reaches nobody.`,
      SOCKET_FILE_BACK,
    );
  return undefined;
}

/** This user may look there, and nothing is there. */
function isAbsent(path: string): boolean {
  try {
    lstatSync(path);
    return false;
  } catch (error) {
    return codeOf(error) === 'ENOENT';
  }
}

/** The management plane is off by its setting: systemd may not open it either. */
export function offInBoth(sockets: SocketUnits | undefined): Finding[] {
  const unit = sockets?.['brume-management.socket'];
  if (unit === undefined || unit.isMasked) return [];
  return [
    tell.failure(
      `BRUME_MANAGEMENT_LISTEN: it is off, and brume-management.socket opens ${unit.places.join(' and ')}: Brume refuses to start so.`,
      'Run: systemctl mask --now brume-management.socket',
    ),
  ];
}

/** A setting's `localhost` is either loopback; IPv6 has many spellings. */
function isSamePlace(opened: string, configured: string): boolean {
  const [, port] = /^localhost:(\d+)$/.exec(configured) ?? [];
  if (port !== undefined) return [`127.0.0.1:${port}`, `[::1]:${port}`].includes(opened);
  return normalised(opened) === normalised(configured);
}

function normalised(place: string): string {
  const [, host, port] = /^\[([^\]]+)\]:(\d+)$/.exec(place) ?? [];
  return host !== undefined && URL.canParse(`http://[${host}]`)
    ? `${new URL(`http://[${host}]`).hostname}:${port}`
    : place;
}
