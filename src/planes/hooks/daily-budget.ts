import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import type { CallLimitOptions } from './actor-limit.ts';
import { refusal } from './refused-call.ts';

/** Counts the calls of a project on a UTC day, whatever comes of them; those beyond its budget are refused. */
export const dailyBudget = fp(
  async (app: FastifyInstance, options: CallLimitOptions) => {
    const refused = refusal('budget_exhausted', options);
    app.addHook('onRequest', function chargeBudget(request, _reply, done) {
      refused(request.caller, done);
    });
  },
  { name: 'brume-daily-budget', dependencies: ['brume-authentication'] },
);
