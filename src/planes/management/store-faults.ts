import type { FastifyInstance } from 'fastify';
import { BrumeError } from '../../errors/catalogue.ts';
import type { Logger } from '../../telemetry/log.ts';
import { Seldom } from '../../telemetry/seldom.ts';
import { catalogued } from '../hooks/catalogued.ts';

const WHERE_TO_LOOK =
  "The configuration store does not answer or can't be written. Brume's log says why; with the embedded store, see whether the disk of BRUME_STATE_DIR is full.";
const NOTHING_CHANGED = 'Nothing was changed.';
const UNKNOWN_OUTCOME = 'The change may or may not have happened: look before you repeat it.';

/**
 * Those who manage Brume are told where to look when its store fails, and the cause is logged, once
 * a second at most. For the routes of the given instance, behind the error answers of its plane.
 */
export function explainStoreFaults(
  app: FastifyInstance,
  { log, clock }: { readonly log: Logger; readonly clock: { monotonicMs(): number } },
): void {
  const seldom = new Seldom(clock);
  app.setErrorHandler((fault, request) => {
    const error = catalogued(fault);
    if (error.code !== 'store_unavailable') throw error;
    const { method, id: requestId, routeOptions } = request;
    seldom.run('store', (suppressed) =>
      log.error(
        {
          requestId,
          method,
          route: routeOptions.url,
          err: error.cause ?? error,
          ...(suppressed > 0 && { suppressed }),
        },
        'the configuration store failed a management call',
      ),
    );
    const isChange = routeOptions.config.isChange === true;
    const outcome = error.isUndone ? NOTHING_CHANGED : UNKNOWN_OUTCOME;
    throw new BrumeError('store_unavailable', {
      detail: isChange ? `${WHERE_TO_LOOK} ${outcome}` : WHERE_TO_LOOK,
      cause: error.cause,
    });
  });
}
