import { Type } from '@fastify/type-provider-typebox';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { acceptedFormat } from '../../telemetry/metrics/accepted-format.ts';
import { CONTENT_TYPES, type ExpositionFormat } from '../../telemetry/metrics/exposition.ts';
import { PROBLEM_ANSWERS } from '../hooks/problem.ts';
import './route-access.ts';

export interface MetricsRouteOptions {
  readonly registry: { text(format: ExpositionFormat): Promise<string> };
  /** Throws a BrumeError at who may not read them; whoever reaches the plane may, if absent. */
  readonly guard?: (request: FastifyRequest) => void;
}

const CONFIG = {
  isPublic: false,
  guard: 'BRUME_METRICS_TOKEN, an address in BRUME_METRICS_ALLOW, or the admin socket',
  timeoutMs: 30_000,
} as const;

const TEXT = {
  content: {
    'text/plain': { schema: Type.String() },
    'application/openmetrics-text': { schema: Type.String() },
  },
} as const;

/**
 * `GET /metrics`, in the text format of Prometheus, or in OpenMetrics for who accepts it. Who may read
 * it is the business of the plane that mounts it.
 */
export const metricsRoute = fp(
  async (app: FastifyInstance, { registry, guard = () => undefined }: MetricsRouteOptions) => {
    app.get(
      '/metrics',
      {
        config: CONFIG,
        schema: { response: { 200: TEXT, ...PROBLEM_ANSWERS } },
        onRequest: (request, _reply, done) => {
          guard(request);
          done();
        },
      },
      async (request, reply) => {
        const format = acceptedFormat(request.headers.accept);
        const text = await registry.text(format);
        return reply.header('content-type', CONTENT_TYPES[format]).header('vary', 'accept').send(text);
      },
    );
  },
  { name: 'brume-metrics-route', encapsulate: true },
);
