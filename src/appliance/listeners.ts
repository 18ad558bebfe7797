import type { Server } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../config/config.ts';
import { buildAdminPlane } from '../planes/admin/admin-plane.ts';
import { buildDataPlane } from '../planes/data/data-plane.ts';
import { buildManagementPlane } from '../planes/management/management-plane.ts';
import { Seldom } from '../telemetry/seldom.ts';
import { version } from '../version.ts';
import { listenOnDescriptor, listenTcp, listenUnix } from './listen.ts';
import { addListenerMetrics, type ListenerName } from './listener-metrics.ts';
import { PlaneServer, type TlsIdentity } from './plane-server.ts';
import type { State } from './state.ts';
import { addressText, type HandedSocket } from './systemd/handed-sockets.ts';

/** The Unix groups whose members may open the sockets, where the groups exist. */
const DATA_GROUP = 'brume-proxy';
const ADMIN_GROUP = 'brume-admin';

export interface Listeners {
  readonly servers: readonly PlaneServer[];
  /** Ends the planes behind the listeners, and whatever connections are left. */
  close(): Promise<void>;
}

interface ListenerOptions {
  /** Without it the management plane serves plain HTTP. */
  readonly managementTls?: TlsIdentity | undefined;
  /** Listening sockets that systemd opened; with them no others are opened. */
  readonly handed?: readonly HandedSocket[] | undefined;
}

interface Planes {
  readonly data: FastifyInstance;
  readonly admin: FastifyInstance;
  readonly management: FastifyInstance | undefined;
}

/**
 * Opens every listener: the data plane on TCP and on a Unix socket, the admin plane on its socket, and
 * the management plane on TCP; or listens on what systemd opened for them.
 * All or none: when one can't be opened, those before it are closed again.
 *
 * @throws StartError naming the variable at fault.
 */
export async function openListeners(
  config: Config,
  state: State,
  { managementTls, handed }: ListenerOptions = {},
): Promise<Listeners> {
  const planes = await buildPlanes(config, state);
  const named: { name: ListenerName; server: PlaneServer }[] = [];
  const close = async (): Promise<void> => {
    for (const { server } of named) server.closeAll();
    await Promise.all([planes.data.close(), planes.admin.close(), planes.management?.close()]);
  };
  const inFrontOf = (plane: FastifyInstance, name: ListenerName): Server => {
    const seldom = new Seldom(state.clock);
    const onStandstill = (): void =>
      seldom.run('standstill', (suppressed) =>
        state.log.warn({ listener: name, suppressed }, 'an answer was cut off: nobody went on reading it'),
      );
    const tls = name === 'management' ? managementTls : undefined;
    const server = new PlaneServer(plane, config, { tls, onStandstill });
    named.push({ name, server });
    return server.server;
  };
  try {
    if (handed === undefined) await listenByConfiguration(config, state, { planes, inFrontOf });
    else await listenOnHanded(handed, state, { planes, inFrontOf });
  } catch (error) {
    await close();
    throw error;
  }
  addListenerMetrics(state.metrics.registry, named);
  return { servers: named.map(({ server }) => server), close };
}

async function buildPlanes(config: Config, state: State): Promise<Planes> {
  const shared = { ...state, version, readiness: () => state.readiness.report() };
  const managed = { ...shared, top: state.metrics.top };
  return {
    data: await buildDataPlane({ ...shared, config }),
    admin: await buildAdminPlane({ ...managed, bodyMaxBytes: config.bodyMaxBytes }),
    management:
      config.managementListen === null
        ? undefined
        : await buildManagementPlane({ ...managed, config, identify: state.identify }),
  };
}

interface Front {
  readonly planes: Planes;
  readonly inFrontOf: (plane: FastifyInstance, name: ListenerName) => Server;
}

async function listenByConfiguration(
  { listen, socket, adminSocket, managementListen }: Config,
  state: State,
  { planes: { data, admin, management }, inFrontOf }: Front,
): Promise<void> {
  const { log } = state;
  if (listen !== null) {
    const server = inFrontOf(data, 'data');
    await listenTcp(server, listen, { variable: 'BRUME_LISTEN', log });
    watch(server, 'data', state);
  }
  if (socket !== null) {
    const server = inFrontOf(data, 'data-socket');
    await listenUnix(server, { path: socket, group: DATA_GROUP }, { variable: 'BRUME_SOCKET', log });
    watch(server, 'data', state);
  }
  const server = inFrontOf(admin, 'admin-socket');
  await listenUnix(
    server,
    { path: adminSocket, group: ADMIN_GROUP },
    { variable: 'BRUME_ADMIN_SOCKET', log },
  );
  watch(server, 'admin', state);
  if (managementListen !== null && management !== undefined) {
    const server = inFrontOf(management, 'management');
    await listenTcp(server, managementListen, { variable: 'BRUME_MANAGEMENT_LISTEN', log });
    watch(server, 'management', state);
  }
}

/** A plane that systemd has no socket for is not served. */
async function listenOnHanded(
  handed: readonly HandedSocket[],
  state: State,
  { planes, inFrontOf }: Front,
): Promise<void> {
  for (const { plane, fd, address } of handed) {
    const behind = planes[plane];
    if (behind === undefined) continue; // its socket was refused before
    const name =
      plane === 'admin' ? 'admin-socket' : plane === 'data' && 'path' in address ? 'data-socket' : plane;
    const server = inFrontOf(behind, name);
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
