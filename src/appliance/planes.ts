import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../config/config.ts';
import { buildDataPlane } from '../planes/data/data-plane.ts';
import { version } from '../version.ts';
import type { ListenerName } from './listener-metrics.ts';
import type { State } from './state.ts';

export interface Planes {
  readonly data: FastifyInstance;
  /** Built after the data plane; undefined: not yet. */
  managing: ManagingPlanes | undefined;
}

interface ManagingPlanes {
  readonly admin: FastifyInstance;
  /** Undefined: the configuration switches it off. */
  readonly management: FastifyInstance | undefined;
}

/** Is asked of each request whose body has arrived; see JsonBodyOptions. */
export type IsTakenOver = (request: IncomingMessage, body: Buffer) => boolean;

/** The data plane, which is built in half the time of all. */
export async function buildPlanes(config: Config, state: State, isTakenOver: IsTakenOver): Promise<Planes> {
  return {
    data: await buildDataPlane({ ...sharedParts(state, isTakenOver), config }),
    managing: undefined,
  };
}

export async function buildManagingPlanes(
  config: Config,
  state: State,
  isTakenOver: IsTakenOver,
): Promise<ManagingPlanes> {
  // Loaded when they are built: the data plane doesn't wait for that.
  const { buildAdminPlane } = await import('../planes/admin/admin-plane.ts');
  const managed = { ...sharedParts(state, isTakenOver), top: state.metrics.top };
  const admin = await buildAdminPlane({ ...managed, bodyMaxBytes: config.bodyMaxBytes });
  if (config.managementListen === null) return { admin, management: undefined };
  const { buildManagementPlane } = await import('../planes/management/management-plane.ts');
  return { admin, management: await buildManagementPlane({ ...managed, config, identify: state.identify }) };
}

function sharedParts(state: State, isTakenOver: IsTakenOver) {
  return { ...state, version, readiness: () => state.readiness.report(), isTakenOver };
}

/** The plane behind a listener; undefined: it is not built yet, or not served. */
export function planeBehind(planes: Planes, listener: ListenerName): FastifyInstance | undefined {
  switch (listener) {
    case 'data':
    case 'data-socket':
      return planes.data;
    case 'admin-socket':
      return planes.managing?.admin;
    case 'management':
      return planes.managing?.management;
  }
}

export async function closePlanes({ data, managing }: Planes): Promise<void> {
  await Promise.all([data.close(), managing?.admin.close(), managing?.management?.close()]);
}
