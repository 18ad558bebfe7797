import type { FastifyInstance, FastifyReply } from 'fastify';
import fp from 'fastify-plugin';
import { BrumeError } from '../../errors/catalogue.ts';

/** How often overdue answers are looked for; a deadline is kept within as much. */
const SWEEP_MS = 500;

/**
 * Ends an answer that its route's `timeoutMs` has passed by with 503. The stores have deadlines of
 * their own, far below: this is for what nobody foresaw. Fastify's own handlerTimeout would make a
 * timer and an AbortController for every request, a third of what a check costs.
 */
export const answerDeadline = fp(
  async (app: FastifyInstance, { sweepMs = SWEEP_MS }: { readonly sweepMs?: number }) => {
    const overdueAtMs = new Map<FastifyReply, number>();

    app.addHook('onRequest', function setDeadline(request, reply, done) {
      const { timeoutMs } = request.routeOptions.config;
      if (timeoutMs !== undefined) {
        overdueAtMs.set(reply, performance.now() + timeoutMs);
        reply.raw.once('close', () => overdueAtMs.delete(reply));
      }
      done();
    });

    const sweep = setInterval(() => {
      const nowMs = performance.now();
      for (const [reply, atMs] of overdueAtMs) {
        if (atMs > nowMs) continue;
        overdueAtMs.delete(reply);
        if (!reply.sent) reply.send(new BrumeError('store_unavailable'));
      }
    }, sweepMs);
    sweep.unref();
    app.addHook('onClose', async () => clearInterval(sweep));
  },
  { name: 'brume-answer-deadline' },
);
