import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import './long-answers.ts';

type Portions = Iterable<string> | AsyncIterable<string>;

export interface LongAnswerOptions {
  /** It answers a change that is made by now, of which its author must hear. */
  readonly isOfChange?: boolean;
}

/**
 * What to send for an answer that is written in portions, each made when the one before it was taken: a
 * long one stays within bounded memory, however slowly it is read. One that fails before its first portion
 * is an error as any other; later it breaks off, and the log says why.
 * @throws BrumeError `throttled_export` if too many are being read by now, before anything is asked for.
 */
export function streamOf(
  reply: FastifyReply,
  portions: Portions,
  { isOfChange = false }: LongAnswerOptions = {},
): Readable {
  const { longAnswers } = reply.server;
  if (!isOfChange) longAnswers.assertRoom();
  const stream = Readable.from(inBytes(portions), { highWaterMark: 1 });
  stream.once('error', (error) => {
    if (reply.raw.headersSent) reply.server.logBroken(reply.request, error);
  });
  longAnswers.hold(stream);
  // Of an answer to HEAD nothing is taken: else it would be made all the same, to its end.
  reply.raw.once('close', () => stream.destroy());
  return stream;
}

/**
 * Of text Node's response counts bytes and its socket characters: with anything but ASCII in it the one waits
 * for a drain of which the other knows nothing, and the answer never ends.
 */
async function* inBytes(portions: Portions): AsyncGenerator<Buffer> {
  for await (const portion of portions) yield Buffer.from(portion);
}
