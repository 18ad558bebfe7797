import { type Buffer, isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { BrumeError } from '../../errors/catalogue.ts';
import { inTurns } from '../../policy/rules/steps.ts';
import { parsingJson } from './parsing-json.ts';

type Done = (error: Error | null, body?: unknown) => void;

/** What takes a few milliseconds to parse. */
const LARGE_CHARACTERS = 256 * 1024;

/**
 * Bodies are JSON in UTF-8 and nothing else. Fastify would turn bytes that are not UTF-8 into
 * U+FFFD, and two different identifiers into one; and it reads text/plain by default.
 */
export const jsonBody = fp(
  async (app: FastifyInstance) => {
    const parseJson = app.getDefaultJsonParser('error', 'error');
    const parse = (request: FastifyRequest, text: string, done: Done) => {
      if (text.length < LARGE_CHARACTERS) void parseJson(request, text, done);
      else {
        // What it doesn't take may be a fault: the usual parser tells it in the usual words.
        inTurns(parsingJson(text)).then(
          (value) => done(null, value),
          () => void parseJson(request, text, done),
        );
      }
    };
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
      if (isUtf8(body)) parse(request, body.toString('utf8'), done);
      else done(new BrumeError('bad_request', { field: 'body', detail: 'The body is not valid UTF-8.' }));
    });
  },
  { name: 'brume-json-body' },
);
