import { chownSync, existsSync } from 'node:fs';
import type { ListenOptions, Server } from 'node:net';
import { dirname } from 'node:path';
import { messageOf } from '../errors/message-of.ts';
import type { Logger } from '../telemetry/log.ts';
import { groupId } from './group-id.ts';
import { clearStaleSocket } from './stale-socket.ts';
import { errorCode, StartError } from './start-error.ts';

export interface TcpAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * Connections that may wait to be accepted; the kernel cuts it to net.core.somaxconn, 4096 on
 * today's kernels. On a Unix socket the next one is not delayed but refused (EAGAIN).
 */
const BACKLOG = 4096;

/** Binds, and resolves when the kernel takes connections. Replaceable, so that tests can refuse. */
export type Bind = (server: Server, options: ListenOptions) => Promise<void>;

export const bind: Bind = (server, options) =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ ...options, backlog: BACKLOG }, () => {
      server.off('error', reject);
      resolve();
    });
  });

/** Listens on a socket that is bound already, and whose file, if it has one, stays when the server closes. */
export function listenOnDescriptor(server: Server, fd: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    // Beside a descriptor the backlog counts as an argument only; without it Node shortens the socket's to 511.
    server.listen({ fd }, BACKLOG, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** Where to listen, and the variable to name when that fails. */
interface Place {
  readonly variable: string;
  readonly log: Logger;
  readonly bind?: Bind;
}

/**
 * Listens on TCP. `::` takes both families, whatever the kernel's bindv6only says (libuv clears it
 * on the socket); on a host without IPv6 it falls back to 0.0.0.0.
 */
export async function listenTcp(server: Server, address: TcpAddress, place: Place): Promise<void> {
  const bindTo = place.bind ?? bind;
  try {
    await bindTo(server, { host: address.host, port: address.port });
  } catch (error) {
    if (!isWithoutIpv6(address.host, error)) throw tcpFailure(address, place.variable, error);
    try {
      await bindTo(server, { host: '0.0.0.0', port: address.port });
    } catch (secondError) {
      throw tcpFailure({ host: '0.0.0.0', port: address.port }, place.variable, secondError);
    }
    place.log.info(
      { port: address.port },
      `${place.variable}: this host has no IPv6; listening on 0.0.0.0 instead of [::]`,
    );
  }
}

function isWithoutIpv6(host: string, error: unknown): boolean {
  const code = errorCode(error);
  return host === '::' && (code === 'EAFNOSUPPORT' || code === 'EADDRNOTAVAIL');
}

function tcpFailure({ host, port }: TcpAddress, variable: string, cause: unknown): StartError {
  const address = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  switch (errorCode(cause)) {
    case 'EADDRINUSE':
      return new StartError(`${variable}: ${address} is in use by another process`, { cause });
    case 'EADDRNOTAVAIL':
    case 'EAFNOSUPPORT':
      return new StartError(`${variable}: this host has no address ${host}`, { cause });
    case 'EACCES':
      return new StartError(`${variable}: not permitted to listen on ${address}`, { cause });
    default:
      return new StartError(`${variable}: can't listen on ${address}: ${messageOf(cause)}`, { cause });
  }
}

/** Mode of every socket file is 0660: its owner and one group, nobody else. */
const SOCKET_UMASK = 0o117;

/** Listens on a Unix socket of mode 0660; its group becomes `group` where that exists and we may. */
export async function listenUnix(
  server: Server,
  { path, group }: { path: string; group: string },
  place: Place,
): Promise<void> {
  if (!existsSync(dirname(path)))
    throw new StartError(`${place.variable}: there is no directory ${dirname(path)}`);
  await clearStaleSocket(path, place.variable);
  // Binding happens within the call, so the file never has wider permissions, not even briefly.
  const umask = process.umask(SOCKET_UMASK);
  let bound: Promise<void>;
  try {
    bound = (place.bind ?? bind)(server, { path });
  } finally {
    process.umask(umask);
  }
  try {
    await bound;
  } catch (error) {
    throw unixFailure(path, place.variable, error);
  }
  handToGroup(path, group, place);
}

function unixFailure(path: string, variable: string, cause: unknown): StartError {
  switch (errorCode(cause)) {
    case 'EACCES':
    case 'EPERM':
      return new StartError(`${variable}: not permitted to create ${path}`, { cause });
    case 'EADDRINUSE':
      return new StartError(`${variable}: another process listens on ${path}`, { cause });
    default:
      return new StartError(`${variable}: can't listen on ${path}: ${messageOf(cause)}`, { cause });
  }
}

function handToGroup(path: string, group: string, { variable, log }: Place): void {
  const id = groupId(group);
  if (id === undefined) return;
  try {
    chownSync(path, -1, id);
  } catch (error) {
    log.info({ path, group, reason: errorCode(error) }, `${variable}: the socket stays with our own group`);
  }
}
