import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import type { TakeCall } from './call-ceilings.ts';
import { refusal } from './refused-call.ts';

export interface CallLimitOptions {
  readonly take: TakeCall;
  readonly onThrottled?: () => void;
}

/** Counts the calls of a key, whatever comes of them; those beyond its rate are refused. A batch is one call. */
export const actorLimit = fp(
  async (app: FastifyInstance, options: CallLimitOptions) => {
    const refused = refusal('throttled_actor', options);
    app.addHook('onRequest', function limitActor(request, _reply, done) {
      refused(request.caller, done);
    });
  },
  { name: 'brume-actor-limit', dependencies: ['brume-authentication'] },
);
