import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import type { Logger } from '../../telemetry/log.ts';
import type { Tracing } from '../../telemetry/tracing/tracing.ts';
import { answerDeadline } from '../hooks/answer-deadline.ts';
import { bodyLimit } from '../hooks/body-limit.ts';
import { errorAnswers } from '../hooks/error-answers.ts';
import { type HealthOptions, healthRoutes } from '../hooks/health-routes.ts';
import { identification } from '../hooks/identification.ts';
import { type JsonBodyOptions, jsonBody } from '../hooks/json-body.ts';
import { type PlaneMetrics, requestMetrics } from '../hooks/metrics.ts';
import { peerReader } from '../hooks/peer.ts';
import { planeInstance } from '../hooks/plane-instance.ts';
import { proxyTrust } from '../hooks/proxy-trust.ts';
import { requestId } from '../hooks/request-id.ts';
import { routeList } from '../hooks/route-list.ts';
import { securityHeaders } from '../hooks/security-headers.ts';
import { requestTrace } from '../hooks/trace.ts';
import { authorisation } from '../management/authorisation.ts';
import { refusedIfMatch } from '../management/if-match.ts';
import type { ManagementDeps } from '../management/management-deps.ts';
import { managementRoutes } from '../management/management-routes.ts';
import { type MetricsRouteOptions, metricsRoute } from '../management/metrics-route.ts';
import { routeAccess } from '../management/route-access.ts';
import { explainStoreFaults } from '../management/store-faults.ts';
import { writeLog } from '../management/write-log.ts';
import { identifyLocal } from './local-identity.ts';

const NO_PROXIES = proxyTrust([]);

export interface AdminPlaneDeps extends ManagementDeps, HealthOptions, JsonBodyOptions {
  readonly log: Logger;
  readonly bodyMaxBytes: number;
  readonly metrics: PlaneMetrics & { readonly registry: MetricsRouteOptions['registry'] };
  /** Nothing is traced if absent. */
  readonly tracing?: Tracing | undefined;
}

/**
 * The admin plane: the management routes for the local command line. Its authentication are the
 * permissions of its Unix socket: it must never listen on anything else. The plugins stand in the
 * order in which a request meets them.
 */
export async function buildAdminPlane(deps: AdminPlaneDeps): Promise<FastifyInstance> {
  const { log, bodyMaxBytes, metrics, tracing } = deps;
  const peerOf = peerReader(NO_PROXIES);
  const app = planeInstance({ bodyMaxBytes, log });

  await app.register(routeList);
  await app.register(routeAccess);
  await app.register(errorAnswers, { log });
  await app.register(answerDeadline, {});
  await app.register(securityHeaders);
  await app.register(bodyLimit);
  if (tracing !== undefined) await app.register(requestTrace, { tracing, plane: 'admin', peerOf });
  await app.register(requestMetrics, { count: metrics.requests('admin') });
  await app.register(requestId, { peerOf });
  await app.register(identification, { identify: identifyLocal });
  await app.register(authorisation, deps);
  await app.register(refusedIfMatch);
  await app.register(writeLog, { log });
  await app.register(jsonBody, deps);

  await app.register(healthRoutes, deps);
  await app.register(metricsRoute, metrics);
  await app.register(management, deps);

  await app.ready();
  return app;
}

const management: FastifyPluginAsync<AdminPlaneDeps> = async (app, deps) => {
  explainStoreFaults(app, deps);
  await app.register(managementRoutes, deps);
};
