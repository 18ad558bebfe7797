import { type Buffer, isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { BrumeError } from '../../errors/catalogue.ts';
import { inTurns, result } from '../../policy/rules/steps.ts';
import { hasRepeatedMember } from './member-count.ts';
import { ForbiddenMember, parsingJson, RepeatedMember } from './parsing-json.ts';

type Done = (error: Error | null, body?: unknown) => void;

export interface JsonBodyOptions {
  /**
   * Asked when a body has arrived, which may be long after the request: true if the request is answered by
   * somebody else, with this body, and nothing more is to be done with it here.
   */
  readonly isTakenOver?: ((request: IncomingMessage, body: Buffer) => boolean) | undefined;
}

/** What takes a few milliseconds to parse. */
const LARGE_CHARACTERS = 256 * 1024;
/** Of the name of a member with all in which it is. */
const FIELD_LENGTH_MAX = 256;

/**
 * Bodies are JSON in UTF-8 and nothing else. Fastify would turn bytes that are not UTF-8 into
 * U+FFFD, and two different identifiers into one; and it reads text/plain by default.
 */
export const jsonBody = fp(
  async (app: FastifyInstance, { isTakenOver = () => false }: JsonBodyOptions) => {
    const parseJson = app.getDefaultJsonParser('error', 'error');
    const parseAtOnce = (request: FastifyRequest, text: string, done: Done) => {
      void parseJson(request, text, (error, value) => {
        if (error !== null) done(explained(error, text));
        else if (hasRepeatedMember(text, value)) done(memberFaultIn(text, RepeatedMember), value);
        else done(null, value);
      });
    };
    const parse = (request: FastifyRequest, text: string, done: Done) => {
      if (text.length < LARGE_CHARACTERS) parseAtOnce(request, text, done);
      else {
        inTurns(parsingJson(text)).then(
          (value) => done(null, value),
          (error: unknown) => {
            if (error instanceof RepeatedMember) done(refusedMember(error));
            // What it doesn't take may be a fault: the usual parser tells it in the usual words.
            else parseAtOnce(request, text, done);
          },
        );
      }
    };
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
      if (isTakenOver(request.raw, body)) return;
      if (isUtf8(body)) parse(request, body.toString('utf8'), done);
      else done(new BrumeError('bad_request', { field: 'body', detail: 'The body is not valid UTF-8.' }));
    });
  },
  { name: 'brume-json-body' },
);

/** The first fault of this kind in what the usual parser takes for JSON; null if it has none. */
function memberFaultIn(
  text: string,
  kind: typeof RepeatedMember | typeof ForbiddenMember,
): BrumeError | null {
  try {
    result(parsingJson(text));
    return null;
  } catch (error) {
    if (error instanceof kind) return refusedMember(error);
    // It is JSON: the usual parser has read it.
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** The usual parser calls names that could reach a prototype faulty JSON, which they are not. */
function explained(error: Error, text: string): Error {
  if (!('code' in error) || error.code !== 'FST_ERR_CTP_INVALID_JSON_BODY') return error;
  try {
    JSON.parse(text);
  } catch {
    return error;
  }
  return memberFaultIn(text, ForbiddenMember) ?? error;
}

function refusedMember({ member, fault }: RepeatedMember | ForbiddenMember): BrumeError {
  const field = member.slice(0, FIELD_LENGTH_MAX).toWellFormed();
  return new BrumeError('bad_request', { field, detail: `${field} ${fault}.` });
}
