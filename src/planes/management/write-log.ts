import fp from 'fastify-plugin';
import type { Logger } from '../../telemetry/log.ts';

/** Logs every write to the configuration by somebody known: who, what, and how it ended. Bodies are never logged. */
export const writeLog = fp(
  async (app, { log }: { log: Logger }) => {
    app.addHook('onResponse', async function logWrite(request, reply) {
      const { principal } = request;
      if (request.routeOptions.config.isChange !== true || isDryRun(request.query)) return;
      if (principal === null) return;
      const status = reply.statusCode;
      const entry = {
        requestId: request.id,
        author: principal.actor.name,
        method: request.method,
        route: request.routeOptions.url,
        ...Object(request.params),
        created: reply.getHeader('location'),
        status,
      };
      log.info(entry, status < 400 ? 'configuration changed' : 'configuration change refused');
    });
  },
  { name: 'brume-write-log', dependencies: ['brume-identification'] },
);

/** It asks what a change would do. */
function isDryRun(query: unknown): boolean {
  return typeof query === 'object' && query !== null && Reflect.get(query, 'dryRun') === 'true';
}
