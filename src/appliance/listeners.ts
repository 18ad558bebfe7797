import type { Server } from 'node:http';
import type { Config } from '../config/config.ts';
import { Seldom } from '../telemetry/seldom.ts';
import { listenOnDescriptor, listenTcp, listenUnix } from './listen.ts';
import type { ListenerName } from './listener-metrics.ts';
import type { PlaneServer, TlsIdentity } from './plane-server.ts';
import type { State } from './state.ts';
import { Switchboard } from './switchboard.ts';
import { addressText, type HandedSocket } from './systemd/handed-sockets.ts';

/** The Unix groups whose members may open the sockets, where the groups exist. */
const DATA_GROUP = 'brume-proxy';
const ADMIN_GROUP = 'brume-admin';

export interface Listeners {
  readonly servers: readonly PlaneServer[];
  readonly switchboard: Switchboard;
  /** Ends the planes behind the listeners, and whatever connections are left. */
  close(): Promise<void>;
}

export interface ListenerOptions {
  /** Without it the management plane serves plain HTTP. */
  readonly managementTls?: TlsIdentity | undefined;
  /** Listening sockets that systemd opened; with them no others are opened. */
  readonly handed?: readonly HandedSocket[] | undefined;
  /** What the listeners are connected with. */
  readonly switchboard: Switchboard;
}

/** As `listen`, with planes over this state behind them. */
export async function openListeners(
  config: Config,
  state: State,
  options: Omit<ListenerOptions, 'switchboard'> = {},
): Promise<Listeners> {
  const switchboard = await Switchboard.build(config, state);
  try {
    await switchboard.complete();
    return await listen(config, state, { ...options, switchboard });
  } catch (error) {
    await switchboard.close();
    throw error;
  }
}

/**
 * Opens every listener: the data plane on TCP and on a Unix socket, the admin plane on its socket, and
 * the management plane on TCP; or listens on what systemd opened for them.
 * All or none: when one can't be opened, closing the switchboard closes those before it.
 *
 * @throws StartError naming the variable at fault.
 */
export async function listen(
  config: Config,
  state: State,
  { switchboard, managementTls, handed }: ListenerOptions,
): Promise<Listeners> {
  const serverOf = (name: ListenerName): Server | undefined => {
    const seldom = new Seldom(state.clock);
    const onStandstill = (): void =>
      seldom.run('standstill', (suppressed) =>
        state.log.warn({ listener: name, suppressed }, 'an answer was cut off: nobody went on reading it'),
      );
    const tls = name === 'management' ? managementTls : undefined;
    return switchboard.add(name, { tls, onStandstill })?.server;
  };
  if (handed === undefined) await listenByConfiguration(config, state, serverOf);
  else await listenOnHanded(handed, state, serverOf);
  switchboard.addMetrics(state);
  const { servers } = switchboard;
  return { servers, switchboard, close: () => switchboard.close() };
}

/** Undefined: its plane is switched off. */
type ServerOf = (name: ListenerName) => Server | undefined;

async function listenByConfiguration(
  { listen, socket, adminSocket, managementListen }: Config,
  state: State,
  serverOf: ServerOf,
): Promise<void> {
  const { log } = state;
  const open = async (
    name: ListenerName,
    plane: string,
    listenWith: (server: Server) => Promise<void>,
  ): Promise<void> => {
    const server = serverOf(name);
    if (server === undefined) return;
    await listenWith(server);
    watch(server, plane, state);
  };
  if (listen !== null) {
    await open('data', 'data', (server) => listenTcp(server, listen, { variable: 'BRUME_LISTEN', log }));
  }
  if (socket !== null) {
    const place = { path: socket, group: DATA_GROUP };
    await open('data-socket', 'data', (server) =>
      listenUnix(server, place, { variable: 'BRUME_SOCKET', log }),
    );
  }
  const place = { path: adminSocket, group: ADMIN_GROUP };
  await open('admin-socket', 'admin', (server) =>
    listenUnix(server, place, { variable: 'BRUME_ADMIN_SOCKET', log }),
  );
  if (managementListen !== null) {
    await open('management', 'management', (server) =>
      listenTcp(server, managementListen, { variable: 'BRUME_MANAGEMENT_LISTEN', log }),
    );
  }
}

/** A plane that systemd has no socket for is not served. */
async function listenOnHanded(
  handed: readonly HandedSocket[],
  state: State,
  serverOf: ServerOf,
): Promise<void> {
  for (const { plane, fd, address } of handed) {
    const name =
      plane === 'admin' ? 'admin-socket' : plane === 'data' && 'path' in address ? 'data-socket' : plane;
    const server = serverOf(name);
    if (server === undefined) continue; // its socket was refused before
    await listenOnDescriptor(server, fd);
    watch(server, plane, state, addressText(address));
  }
}

/** Logs what befalls a listener; without a listener of its own an `error` would end the process. */
function watch(server: Server, plane: string, { log, clock }: State, address = boundTo(server)): void {
  const seldom = new Seldom(clock);
  log.info({ plane, address }, 'listening');
  server.on('error', (error) =>
    seldom.run('error', (suppressed) =>
      log.error({ plane, err: error, suppressed }, 'a connection could not be accepted'),
    ),
  );
  server.on('drop', () =>
    seldom.run('drop', (suppressed) =>
      log.warn({ plane, suppressed }, 'connections are refused: BRUME_CONNECTIONS_MAX is reached'),
    ),
  );
}

function boundTo(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === 'string') return String(address);
  return addressText({ host: address.address, port: address.port });
}
