import type { FastifyInstance, FastifyReply } from 'fastify';
import fp from 'fastify-plugin';
import { BrumeError } from '../../errors/catalogue.ts';

/** How often overdue answers are looked for; a deadline is kept within as much. */
const SWEEP_MS = 500;

/**
 * Answers with 503 where nothing of an answer was sent before its route's `timeoutMs` had passed. The
 * stores have deadlines of their own, far below: this is for what nobody foresaw. An answer that has
 * begun may take as long as whoever reads it needs; that it goes on at all is PlaneServer's to watch.
 * Fastify's own handlerTimeout would cut it off, and make a timer and an AbortController for every
 * request, a third of what a check costs.
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
        // `sent` alone is false for as long as a stream goes on.
        if (!reply.sent && !reply.raw.headersSent) reply.send(new BrumeError('store_unavailable'));
      }
    }, sweepMs);
    sweep.unref();
    app.addHook('onClose', async () => clearInterval(sweep));
  },
  { name: 'brume-answer-deadline' },
);
