import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import { type AccessLogMode, createAccessLog } from '../../telemetry/access-log.ts';
import type { Logger } from '../../telemetry/log.ts';
import type { Tracing } from '../../telemetry/tracing/tracing.ts';
import { accessLog } from '../hooks/access-log.ts';
import { answerDeadline } from '../hooks/answer-deadline.ts';
import { bodyLimit } from '../hooks/body-limit.ts';
import { contentSecurity } from '../hooks/content-security.ts';
import { errorAnswers } from '../hooks/error-answers.ts';
import { type HealthOptions, healthRoutes } from '../hooks/health-routes.ts';
import { type Identify, identification } from '../hooks/identification.ts';
import { type JsonBodyOptions, jsonBody } from '../hooks/json-body.ts';
import { managementCors } from '../hooks/management-cors.ts';
import { type PlaneMetrics, requestMetrics } from '../hooks/metrics.ts';
import { peerReader } from '../hooks/peer.ts';
import { planeInstance } from '../hooks/plane-instance.ts';
import { proxyTrust } from '../hooks/proxy-trust.ts';
import { addressReader } from '../hooks/recorded-address.ts';
import { requestId } from '../hooks/request-id.ts';
import { routeList } from '../hooks/route-list.ts';
import { requestTrace } from '../hooks/trace.ts';
import { authorisation } from './authorisation.ts';
import { documentRoutes } from './document-routes.ts';
import { type ConsoleRoutesDeps, consoleRoutes } from './identity/console-routes.ts';
import { invitationPageRoutes } from './identity/invitation-page-routes.ts';
import { refusedIfMatch } from './if-match.ts';
import type { ManagementDeps } from './management-deps.ts';
import { managementRoutes } from './management-routes.ts';
import { metricsGuard } from './metrics-guard.ts';
import { type MetricsRouteOptions, metricsRoute } from './metrics-route.ts';
import { routeAccess } from './route-access.ts';
import { explainStoreFaults } from './store-faults.ts';
import { writeLog } from './write-log.ts';

/** What of the configuration concerns this plane; a part of Config. */
interface ManagementPlaneConfig {
  /** CIDR blocks. */
  readonly trustedProxies: readonly string[];
  readonly managementOrigins: readonly string[];
  readonly bodyMaxBytes: number;
  readonly accessLog: AccessLogMode;
  readonly metricsToken: string | null;
  /** CIDR blocks. */
  readonly metricsAllow: readonly string[];
}

export interface ManagementPlaneDeps extends ManagementDeps, HealthOptions, JsonBodyOptions {
  readonly config: ManagementPlaneConfig;
  readonly log: Logger;
  readonly identify: Identify;
  readonly signIn: ConsoleRoutesDeps['signIn'];
  readonly metrics: PlaneMetrics & { readonly registry: MetricsRouteOptions['registry'] };
  /** Nothing is traced if absent. */
  readonly tracing?: Tracing | undefined;
}

/**
 * The management plane, for people and programs over the network, ready to be listened in front of.
 * The plugins stand in the order in which a request meets them.
 */
export async function buildManagementPlane(deps: ManagementPlaneDeps): Promise<FastifyInstance> {
  const { config, log, metrics, tracing, identify } = deps;
  const trust = proxyTrust(config.trustedProxies);
  const peerOf = peerReader(trust);
  const addressOf = addressReader({ trust, peerOf });
  const { metricsToken: token, metricsAllow: allow } = config;

  const app = planeInstance({ bodyMaxBytes: config.bodyMaxBytes, log });
  await app.register(routeList);
  await app.register(routeAccess);
  await app.register(errorAnswers, { log });
  await app.register(managementCors, { origins: config.managementOrigins });
  await app.register(answerDeadline, {});
  await app.register(contentSecurity, { peerOf });
  await app.register(bodyLimit);
  if (tracing !== undefined) await app.register(requestTrace, { tracing, plane: 'management', peerOf });
  await app.register(requestMetrics, { count: metrics.requests('management') });
  await app.register(accessLog, {
    accessLog: createAccessLog(config.accessLog, log, Math.random),
    showIdentifiers: false,
    peerOf,
  });
  await app.register(requestId, { peerOf });
  await app.register(identification, { identify });
  await app.register(authorisation, deps);
  await app.register(refusedIfMatch);
  await app.register(writeLog, { log });
  await app.register(jsonBody, deps);

  await app.register(healthRoutes, deps);
  await app.register(documentRoutes);
  await app.register(invitationPageRoutes);
  await app.register(metricsRoute, {
    ...metrics,
    guard: metricsGuard({ token, allow, addressOf, managementUrl: deps.managementUrl }),
  });
  await app.register(management, { ...deps, addressOf });

  await app.ready();
  return app;
}

const management: FastifyPluginAsync<ManagementPlaneDeps & ConsoleRoutesDeps> = async (app, deps) => {
  explainStoreFaults(app, deps);
  await app.register(consoleRoutes, deps);
  await app.register(managementRoutes, deps);
};
