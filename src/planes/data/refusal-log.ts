import type { FastifyRequest } from 'fastify';
import type { Logger } from '../../telemetry/log.ts';
import { Seldom } from '../../telemetry/seldom.ts';
import { catalogued } from '../hooks/catalogued.ts';

/** As long as a namespace's name can be. */
const NAME_LENGTH_MAX = 64;

export type LogRefusal = (request: FastifyRequest, fault: unknown) => void;

/**
 * Logs why forward-auth calls are refused, one warning a second for each code. The proxy that is set
 * up wrongly drops the body of the answer, and everybody behind it sees an error without a reason.
 */
export function refusalLog(log: Logger, clock: { monotonicMs(): number }): LogRefusal {
  const seldom = new Seldom(clock);
  return (request, fault) => {
    const { code, field, detail, status } = catalogued(fault);
    if (status >= 500) return; // not the caller's fault, and logged as such
    seldom.run(code, (suppressed) =>
      log.warn(
        {
          requestId: request.id,
          code,
          ...(field !== undefined && { field }),
          ...(detail !== undefined && { detail }),
          route: request.routeOptions.url,
          ...(request.caller && { project: request.caller.projectId, key: request.caller.keyId }),
          ...namespaceIn(request),
          ...(suppressed > 0 && { suppressed }),
        },
        status === 429
          ? 'a forward-auth call was refused: more of them come than its key or project may make'
          : 'a forward-auth call was refused: the proxy or its key is not set up right',
      ),
    );
  };
}

function namespaceIn({ params }: FastifyRequest): { readonly namespace?: string } {
  const { namespace } = params as { readonly namespace?: string };
  return namespace === undefined ? {} : { namespace: namespace.slice(0, NAME_LENGTH_MAX) };
}
