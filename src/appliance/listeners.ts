import type { Server } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../config/config.ts';
import { buildAdminPlane } from '../planes/admin/admin-plane.ts';
import { buildDataPlane } from '../planes/data/data-plane.ts';
import { buildManagementPlane } from '../planes/management/management-plane.ts';
import { Seldom } from '../telemetry/seldom.ts';
import { version } from '../version.ts';
import { listenTcp, listenUnix } from './listen.ts';
import { addListenerMetrics, type ListenerName } from './listener-metrics.ts';
import { PlaneServer, type TlsIdentity } from './plane-server.ts';
import type { State } from './state.ts';

/** The Unix groups whose members may open the sockets, where the groups exist. */
const DATA_GROUP = 'brume-proxy';
const ADMIN_GROUP = 'brume-admin';

export interface Listeners {
  readonly servers: readonly PlaneServer[];
  /** Ends the planes behind the listeners, and whatever connections are left. */
  close(): Promise<void>;
}

/**
 * Opens every listener: the data plane on TCP and on a Unix socket, the admin plane on its socket, and
 * the management plane on TCP.
 * All or none: when one can't be opened, those before it are closed again. Without `managementTls` the
 * management plane serves plain HTTP.
 *
 * @throws StartError naming the variable at fault.
 */
export async function openListeners(
  config: Config,
  state: State,
  managementTls?: TlsIdentity,
): Promise<Listeners> {
  const { log } = state;
  const shared = { ...state, version, readiness: () => state.readiness.report() };
  const data = await buildDataPlane({ ...shared, config });
  const managed = { ...shared, top: state.metrics.top };
  const admin = await buildAdminPlane({ ...managed, bodyMaxBytes: config.bodyMaxBytes });
  const management =
    config.managementListen === null
      ? undefined
      : await buildManagementPlane({ ...managed, config, identify: state.identify });

  const servers = new Map<ListenerName, PlaneServer>();
  const close = async (): Promise<void> => {
    for (const server of servers.values()) server.closeAll();
    await Promise.all([data.close(), admin.close(), management?.close()]);
  };
  const inFrontOf = (plane: FastifyInstance, name: ListenerName, tls?: TlsIdentity): Server => {
    const seldom = new Seldom(state.clock);
    const onStandstill = (): void =>
      seldom.run('standstill', (suppressed) =>
        log.warn({ listener: name, suppressed }, 'an answer was cut off: nobody went on reading it'),
      );
    const server = new PlaneServer(plane, config, { tls, onStandstill });
    servers.set(name, server);
    return server.server;
  };

  try {
    if (config.listen !== null) {
      const server = inFrontOf(data, 'data');
      await listenTcp(server, config.listen, { variable: 'BRUME_LISTEN', log });
      watch(server, 'data', state);
    }
    if (config.socket !== null) {
      const server = inFrontOf(data, 'data-socket');
      const socket = { path: config.socket, group: DATA_GROUP };
      await listenUnix(server, socket, { variable: 'BRUME_SOCKET', log });
      watch(server, 'data', state);
    }
    const server = inFrontOf(admin, 'admin-socket');
    const socket = { path: config.adminSocket, group: ADMIN_GROUP };
    await listenUnix(server, socket, { variable: 'BRUME_ADMIN_SOCKET', log });
    watch(server, 'admin', state);
    if (config.managementListen !== null && management !== undefined) {
      const server = inFrontOf(management, 'management', managementTls);
      await listenTcp(server, config.managementListen, { variable: 'BRUME_MANAGEMENT_LISTEN', log });
      watch(server, 'management', state);
    }
  } catch (error) {
    await close();
    throw error;
  }
  addListenerMetrics(state.metrics.registry, servers);
  return { servers: [...servers.values()], close };
}

/** Logs what befalls a listener; without a listener of its own an `error` would end the process. */
function watch(server: Server, plane: string, { log, clock }: State): void {
  const seldom = new Seldom(clock);
  log.info({ plane, address: addressText(server) }, 'listening');
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

function addressText(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === 'string') return String(address);
  const { family, address: host, port } = address;
  return family === 'IPv6' ? `[${host}]:${port}` : `${host}:${port}`;
}
