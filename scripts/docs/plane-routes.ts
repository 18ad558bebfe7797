import type { RouteOptions } from 'fastify';
import { loadConfig } from '../../src/config/load-config.ts';
import { systemClock } from '../../src/limiter/clock.ts';
import { buildAdminPlane } from '../../src/planes/admin/admin-plane.ts';
import { buildDataPlane, type DataPlaneDeps } from '../../src/planes/data/data-plane.ts';
import {
  buildManagementPlane,
  type ManagementPlaneDeps,
} from '../../src/planes/management/management-plane.ts';
import { createLogger } from '../../src/telemetry/log.ts';

export interface PlaneRoutes {
  readonly data: readonly RouteOptions[];
  readonly management: readonly RouteOptions[];
  readonly admin: readonly RouteOptions[];
}

/** The declarations of all routes of all planes. Nothing is behind them: no request can be answered. */
export async function planeRoutes(): Promise<PlaneRoutes> {
  const config = loadConfig({ env: {}, defaultFile: '/nonexistent/brume.conf' });
  // The stores are asked by requests only, and none comes.
  const nothing = {} as Omit<DataPlaneDeps & ManagementPlaneDeps, 'log' | 'clock' | 'config'>;
  const deps = {
    ...nothing,
    config,
    log: createLogger({ level: 'error', showIdentifiers: false }),
    clock: systemClock,
    version: '',
    readiness: () =>
      ({
        isReady: false,
        status: 'starting',
        stores: { configuration: 'unavailable', counters: 'unavailable' },
        snapshot: null,
      }) as const,
    metrics: {
      requests: () => () => undefined,
      countForKey: undefined,
      countThrottled: () => undefined,
      registry: { text: async () => '' },
    },
  };
  const data = await buildDataPlane(deps);
  const management = await buildManagementPlane(deps);
  const admin = await buildAdminPlane({ ...deps, bodyMaxBytes: config.bodyMaxBytes });
  const routes = { data: data.routeList, management: management.routeList, admin: admin.routeList };
  await Promise.all([data.close(), management.close(), admin.close()]);
  return routes;
}
