import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { Verdict } from '../../limiter/verdict.ts';
import type { CountForKey } from '../../telemetry/metrics/key-counts.ts';
import type { CountRequest } from '../../telemetry/metrics/request-metrics.ts';
import type { CountThrottled } from '../../telemetry/metrics/throttle-counts.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** What a batch decided, once it did. */
    verdicts: readonly Verdict[] | null;
  }
}

/** What the planes need of the metrics of the process. */
export interface PlaneMetrics {
  readonly requests: (plane: string) => CountRequest;
  /** Undefined: verdicts are not counted by key. */
  readonly countForKey: CountForKey | undefined;
  readonly countThrottled: CountThrottled;
}

export interface RequestMetricsOptions {
  readonly count: CountRequest;
  /** Undefined: verdicts are not counted by key. */
  readonly countForKey?: CountForKey | undefined;
}

/** Counts every answered request under its declared route: what a caller writes never becomes a label. */
export const requestMetrics = fp(
  async (app: FastifyInstance, { count, countForKey }: RequestMetricsOptions) => {
    app.decorateRequest('verdicts', null);
    app.addHook('onResponse', function countResponse(request, reply, done) {
      const route = request.is404 ? undefined : request.routeOptions.url;
      count(route, reply.statusCode, reply.elapsedTime);
      if (countForKey !== undefined) countVerdicts(request, countForKey);
      done();
    });
  },
  { name: 'brume-request-metrics' },
);

function countVerdicts({ caller, verdict, verdicts }: FastifyRequest, countForKey: CountForKey): void {
  if (!caller) return;
  if (verdict) countForKey(caller.keyId, verdict.success);
  for (const { success } of verdicts ?? []) countForKey(caller.keyId, success);
}
