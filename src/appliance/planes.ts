import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../config/config.ts';
import { buildAdminPlane } from '../planes/admin/admin-plane.ts';
import { buildDataPlane } from '../planes/data/data-plane.ts';
import { buildManagementPlane } from '../planes/management/management-plane.ts';
import { version } from '../version.ts';
import type { ListenerName } from './listener-metrics.ts';
import type { State } from './state.ts';

export interface Planes {
  readonly data: FastifyInstance;
  readonly admin: FastifyInstance;
  readonly management: FastifyInstance | undefined;
}

/** `isTakenOver` is asked of each request whose body has arrived; see JsonBodyOptions. */
export async function buildPlanes(
  config: Config,
  state: State,
  isTakenOver: (request: IncomingMessage, body: Buffer) => boolean,
): Promise<Planes> {
  const shared = { ...state, version, readiness: () => state.readiness.report(), isTakenOver };
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

/** The plane behind a listener; undefined: it is not served. */
export function planeBehind(planes: Planes, listener: ListenerName): FastifyInstance | undefined {
  switch (listener) {
    case 'data':
    case 'data-socket':
      return planes.data;
    case 'admin-socket':
      return planes.admin;
    case 'management':
      return planes.management;
  }
}

export async function closePlanes({ data, admin, management }: Planes): Promise<void> {
  await Promise.all([data.close(), admin.close(), management?.close()]);
}
