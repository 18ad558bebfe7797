import fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { BrumeError } from '../../errors/catalogue.ts';
import type { Logger } from '../../telemetry/log.ts';
import { catalogued } from './catalogued.ts';
import { answerClientError } from './client-error.ts';
import { logCause, sendProblem } from './error-answers.ts';
import { lateCompilers } from './late-compilers.ts';
import { LongAnswers } from './long-answers.ts';
import { SECURITY_HEADERS } from './security-headers.ts';

/** Longer parameters than any name; what they can't name is answered with 404, not with 414. */
const PARAM_LENGTH_MAX = 4096;

export interface PlaneOptions {
  readonly bodyMaxBytes: number;
  readonly log: Logger;
  /** Answers what goes wrong before a route is found; sendProblem if absent. */
  readonly sendError?: (request: FastifyRequest, reply: FastifyReply, error: BrumeError) => FastifyReply;
  /** So that no request waits for the compiling of a schema; else each is compiled when it is first needed. */
  readonly compilesAtStart?: boolean;
}

/**
 * A fastify instance with what all planes have in common: nothing is coerced, dropped or logged
 * behind our back, and what goes wrong before a route is found is still a problem document.
 */
export function planeInstance(options: PlaneOptions): FastifyInstance {
  const { bodyMaxBytes, log, sendError = sendProblem, compilesAtStart = false } = options;
  const app = fastify({
    bodyLimit: bodyMaxBytes,
    // We log ourselves: fastify would make a child logger for every request.
    logger: false,
    logController: new LogController({ disableRequestLogging: true }),
    // "1" is not 1, and an unknown member is a mistake that its author wants to hear of; `verbose`
    // hands over the schema that was not met, of which our sentences are made. That the schemas are such
    // a test knows: to compile the schema of schemas takes a part of the start.
    ajv: {
      customOptions: {
        coerceTypes: false,
        removeAdditional: false,
        useDefaults: false,
        verbose: true,
        validateSchema: false,
      },
    },
    ...(!compilesAtStart && { schemaController: { compilersFactory: lateCompilers() } }),
    routerOptions: { maxParamLength: PARAM_LENGTH_MAX },
    // While draining, requests on open connections are still answered.
    return503OnClosing: false,
    clientErrorHandler: answerClientError,
    frameworkErrors: (fault, request, reply) => {
      const error = catalogued(fault);
      logCause(log, error, request);
      reply.headers(SECURITY_HEADERS);
      sendError(request, reply, error);
    },
  });
  return app.decorate('longAnswers', new LongAnswers());
}
