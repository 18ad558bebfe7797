import type { FastifyInstance } from 'fastify';
import type { Config } from '../config/config.ts';
import { buildAdminPlane } from '../planes/admin/admin-plane.ts';
import { buildDataPlane } from '../planes/data/data-plane.ts';
import { version } from '../version.ts';
import { listenTcp, listenUnix } from './listen.ts';
import { PlaneServer } from './plane-server.ts';
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
 * Opens every listener: the data plane on TCP and on a Unix socket, the admin plane on its socket.
 * All or none: when one can't be opened, those before it are closed again.
 *
 * @throws StartError naming the variable at fault.
 */
export async function openListeners(config: Config, state: State): Promise<Listeners> {
  const { log } = state;
  const shared = { ...state, version, readiness: () => state.readiness.report() };
  const data = await buildDataPlane({ ...shared, config });
  const admin = await buildAdminPlane({ ...shared, bodyMaxBytes: config.bodyMaxBytes });

  const servers: PlaneServer[] = [];
  const close = async (): Promise<void> => {
    for (const server of servers) server.closeAll();
    await Promise.all([data.close(), admin.close()]);
  };
  const inFrontOf = (plane: FastifyInstance): PlaneServer => {
    const server = new PlaneServer(plane, config);
    servers.push(server);
    return server;
  };

  try {
    if (config.listen !== null) {
      const { server } = inFrontOf(data);
      await listenTcp(server, config.listen, { variable: 'BRUME_LISTEN', log });
      log.info({ plane: 'data', address: server.address() }, 'listening');
    }
    if (config.socket !== null) {
      const place = { variable: 'BRUME_SOCKET', log };
      await listenUnix(inFrontOf(data).server, { path: config.socket, group: DATA_GROUP }, place);
      log.info({ plane: 'data', address: config.socket }, 'listening');
    }
    const place = { variable: 'BRUME_ADMIN_SOCKET', log };
    await listenUnix(inFrontOf(admin).server, { path: config.adminSocket, group: ADMIN_GROUP }, place);
    log.info({ plane: 'admin', address: config.adminSocket }, 'listening');
  } catch (error) {
    await close();
    throw error;
  }
  return { servers, close };
}
