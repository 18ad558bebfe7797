import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/**
 * What to send for an answer that is written in portions, each made when the one before it was taken: a
 * long one stays within bounded memory, however slowly it is read. One that fails before its first portion
 * is an error as any other; later it breaks off, and the log says why.
 */
export function streamOf(reply: FastifyReply, portions: Iterable<string> | AsyncIterable<string>): Readable {
  const stream = Readable.from(inBytes(portions), { highWaterMark: 1 });
  stream.once('error', (error) => {
    if (reply.raw.headersSent) reply.server.logBroken(reply.request, error);
  });
  return stream;
}

/**
 * Of text Node's response counts bytes and its socket characters: with anything but ASCII in it the one waits
 * for a drain of which the other knows nothing, and the answer never ends.
 */
async function* inBytes(portions: Iterable<string> | AsyncIterable<string>): AsyncGenerator<Buffer> {
  for await (const portion of portions) yield Buffer.from(portion);
}
