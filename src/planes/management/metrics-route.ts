import { Type } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { acceptedFormat } from '../../telemetry/metrics/accepted-format.ts';
import { CONTENT_TYPES, type ExpositionFormat } from '../../telemetry/metrics/exposition.ts';
import { PROBLEM_ANSWERS } from '../hooks/problem.ts';
import { READ } from './route-access.ts';

export interface MetricsRouteOptions {
  readonly registry: { text(format: ExpositionFormat): Promise<string> };
}

/**
 * `GET /metrics`, in the text format of Prometheus, or in OpenMetrics for who accepts it. Who may read
 * it is the business of the plane that mounts it.
 */
export const metricsRoute = fp(
  async (app: FastifyInstance, { registry }: MetricsRouteOptions) => {
    app.get(
      '/metrics',
      { config: READ, schema: { response: { 200: Type.String(), ...PROBLEM_ANSWERS } } },
      async (request, reply) => {
        const format = acceptedFormat(request.headers.accept);
        const text = await registry.text(format);
        return reply.header('content-type', CONTENT_TYPES[format]).header('vary', 'accept').send(text);
      },
    );
  },
  { name: 'brume-metrics-route', encapsulate: true },
);
