import { type Buffer, isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { BrumeError } from '../../errors/catalogue.ts';

/**
 * Bodies are JSON in UTF-8 and nothing else. Fastify would turn bytes that are not UTF-8 into
 * U+FFFD, and two different identifiers into one; and it reads text/plain by default.
 */
export const jsonBody = fp(
  async (app: FastifyInstance) => {
    const parseJson = app.getDefaultJsonParser('error', 'error');
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
      if (isUtf8(body)) void parseJson(request, body.toString('utf8'), done);
      else done(new BrumeError('bad_request', { field: 'body', detail: 'The body is not valid UTF-8.' }));
    });
  },
  { name: 'brume-json-body' },
);
