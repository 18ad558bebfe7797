import { METHODS } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { CallBlocks } from '../../limiter/calls/call-blocks.ts';
import type { Clock } from '../../limiter/clock.ts';
import type { Limiter } from '../../limiter/limiter.ts';
import type { PolicySnapshot } from '../../policy/namespace.ts';
import { type AccessLogMode, createAccessLog } from '../../telemetry/access-log.ts';
import type { Logger } from '../../telemetry/log.ts';
import type { Tracing } from '../../telemetry/tracing/tracing.ts';
import type { KeyDirectory } from '../../tenancy/api-key.ts';
import type { BudgetOf } from '../../tenancy/budget.ts';
import { accessLog } from '../hooks/access-log.ts';
import { actorLimit } from '../hooks/actor-limit.ts';
import { addressFilter } from '../hooks/address-filter.ts';
import { AddressFilterTable } from '../hooks/address-filter-table.ts';
import { answerDeadline } from '../hooks/answer-deadline.ts';
import { authentication, authorisation } from '../hooks/authentication.ts';
import { bodyLimit } from '../hooks/body-limit.ts';
import { type ActorConfig, actorCalls, budgetCalls } from '../hooks/call-ceilings.ts';
import { cors, setCorsHeaders } from '../hooks/cors.ts';
import { dailyBudget } from '../hooks/daily-budget.ts';
import { errorAnswers, sendProblem } from '../hooks/error-answers.ts';
import { healthRoutes, type Readiness } from '../hooks/health-routes.ts';
import { type JsonBodyOptions, jsonBody } from '../hooks/json-body.ts';
import { type PlaneMetrics, requestMetrics } from '../hooks/metrics.ts';
import { peerReader } from '../hooks/peer.ts';
import { planeInstance } from '../hooks/plane-instance.ts';
import { proxyTrust } from '../hooks/proxy-trust.ts';
import { requestId } from '../hooks/request-id.ts';
import { routeConfig } from '../hooks/route-config.ts';
import { routeList } from '../hooks/route-list.ts';
import { securityHeaders } from '../hooks/security-headers.ts';
import { requestTrace } from '../hooks/trace.ts';
import { batchRoutes } from './batch-routes.ts';
import { FORWARD_PREFIX, forwardRoutes } from './forward-routes.ts';
import { leaseRoutes } from './lease-routes.ts';
import { limitRoutes } from './limit-routes.ts';
import { NGINX_PREFIX, nginxRoutes, refuseNginx } from './nginx-routes.ts';
import { refusalLog } from './refusal-log.ts';
import { reservationRoutes } from './reservation-routes.ts';
import { resetRoutes } from './reset-routes.ts';

/** What of the configuration concerns this plane; a part of Config. */
export interface DataPlaneConfig extends ActorConfig {
  /** CIDR blocks. */
  readonly trustedProxies: readonly string[];
  /** Calls a second; null: addresses are not counted. */
  readonly addressRate: number | null;
  readonly addressBurst: number;
  readonly addressIpv6Prefix: number;
  readonly bodyMaxBytes: number;
  readonly batchBodyMaxBytes: number;
  readonly requestTimeoutMs: number;
  readonly accessLog: AccessLogMode;
  readonly logIdentifiers: boolean;
  readonly headersXRatelimit: boolean;
  readonly headersRatelimit: boolean;
  readonly headersRetryAfter: boolean;
}

export interface DataPlaneDeps extends JsonBodyOptions {
  readonly config: DataPlaneConfig;
  readonly log: Logger;
  readonly limiter: Limiter;
  readonly snapshot: PolicySnapshot;
  readonly keys: KeyDirectory;
  readonly clock: Clock;
  readonly version: string;
  readonly readiness: () => Readiness | Promise<Readiness>;
  /** Nothing is counted if absent. */
  readonly metrics?: PlaneMetrics;
  /** By which the calls of keys and projects are counted; they are not, if absent. */
  readonly calls?: CallBlocks;
  /** Nothing is traced if absent. */
  readonly tracing?: Tracing | undefined;
  /** No project has a budget, if absent. */
  readonly budgetOf?: BudgetOf;
}

/** The data plane, ready to be listened in front of. The plugins stand in the order in which a request meets them. */
export async function buildDataPlane(deps: DataPlaneDeps): Promise<FastifyInstance> {
  const {
    config,
    log,
    limiter,
    snapshot,
    keys,
    clock,
    version,
    readiness,
    metrics,
    tracing,
    calls,
    budgetOf,
  } = deps;
  const trust = proxyTrust(config.trustedProxies);
  const peerOf = peerReader(trust);
  const headers = {
    xRateLimit: config.headersXRatelimit,
    rateLimit: config.headersRatelimit,
    retryAfter: config.headersRetryAfter,
  };

  const app = planeInstance({
    bodyMaxBytes: config.bodyMaxBytes,
    log,
    compilesAtStart: true,
    sendError: (request, reply, error) => {
      reply.header('x-request-id', request.id);
      if (request.url.startsWith(NGINX_PREFIX)) return refuseNginx(request, reply, error);
      if (!request.url.startsWith(FORWARD_PREFIX)) setCorsHeaders(request, reply);
      return sendProblem(request, reply, error);
    },
  });
  takeAnyMethod(app);

  await app.register(routeList);
  await app.register(routeConfig);
  await app.register(errorAnswers, { log });
  await app.register(cors);
  await app.register(answerDeadline, {});
  await app.register(securityHeaders);
  await app.register(bodyLimit);
  if (tracing !== undefined) await app.register(requestTrace, { tracing, plane: 'data', peerOf });
  if (metrics !== undefined) {
    const { requests, countForKey } = metrics;
    await app.register(requestMetrics, { count: requests('data'), countForKey });
  }
  await app.register(accessLog, {
    accessLog: createAccessLog(config.accessLog, log, Math.random),
    showIdentifiers: config.logIdentifiers,
    peerOf,
  });
  await app.register(requestId, { peerOf });
  const filter = addressTable(config, clock);
  if (filter !== undefined) {
    await app.register(addressFilter, {
      table: filter,
      trust,
      peerOf,
      onThrottled: () => metrics?.countThrottled('address'),
    });
  }
  await app.register(authentication, {
    keys,
    clock,
    onValidKey: ({ countedAddress }) => {
      if (countedAddress) filter?.giveBack(countedAddress);
    },
  });
  const takeOfKey = calls && actorCalls(calls, config);
  if (takeOfKey !== undefined) {
    await app.register(actorLimit, { take: takeOfKey, onThrottled: () => metrics?.countThrottled('actor') });
  }
  if (calls !== undefined && budgetOf !== undefined) {
    const take = budgetCalls(calls, budgetOf);
    await app.register(dailyBudget, { take, onThrottled: () => metrics?.countThrottled('budget') });
  }
  await app.register(authorisation);
  await app.register(jsonBody, deps);

  await app.register(healthRoutes, { version, readiness });
  await app.register(limitRoutes, { limiter, snapshot, headers, requestTimeoutMs: config.requestTimeoutMs });
  await app.register(batchRoutes, {
    limiter,
    snapshot,
    bodyMaxBytes: config.batchBodyMaxBytes,
    requestTimeoutMs: config.requestTimeoutMs,
  });
  await app.register(leaseRoutes, {
    limiter,
    snapshot,
    headers,
    requestTimeoutMs: config.requestTimeoutMs,
  });
  await app.register(reservationRoutes, {
    limiter,
    snapshot,
    headers,
    requestTimeoutMs: config.requestTimeoutMs,
  });
  await app.register(resetRoutes, { limiter, snapshot, requestTimeoutMs: config.requestTimeoutMs });
  const forwardAuth = { limiter, snapshot, trust, peerOf, headers, logRefusal: refusalLog(log, clock) };
  await app.register(nginxRoutes, { ...forwardAuth, log });
  await app.register(forwardRoutes, forwardAuth);

  await app.ready();
  return app;
}

function addressTable(config: DataPlaneConfig, clock: Clock): AddressFilterTable | undefined {
  const { addressRate: rate, addressBurst: burst, addressIpv6Prefix: ipv6Prefix } = config;
  return rate === null ? undefined : new AddressFilterTable({ rate, burst, ipv6Prefix, clock });
}

/** A proxy may ask about any method there is; fastify knows the common ones, and QUERY with a body. */
function takeAnyMethod(app: FastifyInstance): void {
  for (const method of METHODS) {
    if (method === 'QUERY') app.addHttpMethod(method, { overrideExisting: true });
    else if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
  }
}
