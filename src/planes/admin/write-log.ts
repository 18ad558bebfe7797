import fp from 'fastify-plugin';
import type { Logger } from '../../telemetry/log.ts';
import { AUTHOR_HEADER, authorOf } from '../hooks/author.ts';

/** Logs every write to the configuration: who, what, and how it ended. Bodies are never logged. */
export const writeLog = fp(
  async (app, { log }: { log: Logger }) => {
    app.addHook('onResponse', async function logWrite(request, reply) {
      if (request.routeOptions.config.isChange !== true || isDryRun(request.query)) return;
      const status = reply.statusCode;
      const entry = {
        requestId: request.id,
        author: authorOf(request.headers[AUTHOR_HEADER]),
        method: request.method,
        route: request.routeOptions.url,
        ...Object(request.params),
        created: reply.getHeader('location'),
        status,
      };
      log.info(entry, status < 400 ? 'configuration changed' : 'configuration change refused');
    });
  },
  { name: 'brume-write-log' },
);

/** It asks what a change would do. */
function isDryRun(query: unknown): boolean {
  return typeof query === 'object' && query !== null && Reflect.get(query, 'dryRun') === 'true';
}
