import type { FastifyReply } from 'fastify';
import { type LongAnswerOptions, streamOf } from './streamed-answer.ts';

/** So many members are written as JSON at once. */
const AT_ONCE = 200;

/**
 * What to send for an answer in which something may be listed very often. A long one is written in portions,
 * as they are taken, so that nothing else waits for it.
 * @throws BrumeError `throttled_export` for a long one, as `streamOf` does.
 */
export function jsonAnswer<Json extends object>(
  reply: FastifyReply,
  json: Json,
  count: number,
  options?: LongAnswerOptions,
): Json {
  if (count <= AT_ONCE) return json;
  const stream = streamOf(reply, jsonPortions(json), options);
  reply.type('application/json; charset=utf-8');
  // A stream instead of the value that the schema describes: it is the same to whoever reads it.
  return stream as unknown as Json;
}

/** As JSON.stringify writes a value of plain objects and lists, piece by piece. */
export function* jsonPortions(value: unknown): Generator<string> {
  if (Array.isArray(value)) yield* listPortions(value);
  else if (typeof value === 'object' && value !== null) yield* objectPortions(value);
  else yield JSON.stringify(value);
}

function* objectPortions(value: object): Generator<string> {
  let before = '{';
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    yield `${before}${JSON.stringify(name)}:`;
    yield* jsonPortions(member);
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
}

function* listPortions(list: readonly unknown[]): Generator<string> {
  yield '[';
  for (let from = 0; from < list.length; from += AT_ONCE) {
    const portion = JSON.stringify(list.slice(from, from + AT_ONCE)).slice(1, -1);
    yield from === 0 ? portion : `,${portion}`;
  }
  yield ']';
}
