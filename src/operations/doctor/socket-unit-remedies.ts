import type { SocketUnitName } from '../installed/socket-units.ts';

/** systemd starts no socket unit whose service is active. */
export const ADMIN_SOCKET_BACK = socketBack('brume-admin.socket');

/** How a socket's file comes back that was removed: systemd makes it when it opens the socket, and never else. */
export const SOCKET_FILE_BACK =
  'Have it made again: systemctl stop brume && systemctl start brume (a restart leaves the sockets as they are).';

/** How a socket unit that was stopped is opened again. */
export function socketBack(unit: SocketUnitName): string {
  return `Open it again: systemctl stop brume && systemctl start ${unit} brume (systemd opens no socket of a service that is active).`;
}

/** How a socket unit and its setting come to say the same. */
export function sameInBoth(unit: SocketUnitName, variable: string, wanted: readonly string[]): string {
  const lines = ['ListenStream=', ...wanted.map((place) => `ListenStream=${place}`)].join(', ');
  return `Run systemctl edit ${unit} and write [Socket], then on lines of their own: ${lines}; or set ${variable} to what it opens. Then: systemctl stop brume && systemctl start brume`;
}

/** How another place is taken, behind "or". */
export function elsewhereInBoth(unit: SocketUnitName, variable: string): string {
  return `take another place, in ${variable} and in ${unit} alike: systemctl edit ${unit}, [Socket], ListenStream= alone to drop the old ones, then the new ones; then systemctl stop brume && systemctl start brume.`;
}
