import { STATUS_CODES } from 'node:http';
import type { RouteOptions } from 'fastify';
import { PROBLEM_MEDIA_TYPE } from '../../../src/planes/hooks/problem.ts';
import type { RouteWords } from './route-words.ts';

type Schema = Readonly<Record<string, unknown>>;

/** A route as @fastify/swagger takes it. */
export interface DescribedRoute {
  readonly method: string;
  readonly url: string;
  readonly schema: Schema;
}

/** By which the operation is found in clients that are made of the document. */
export function operationIdOf(method: string, url: string): string {
  const words = url.split(/[^A-Za-z0-9]+/).filter((word) => word !== '' && word !== 'v1');
  return [method.toLowerCase(), ...words.map((word) => word.charAt(0).toUpperCase() + word.slice(1))].join(
    '',
  );
}

const VERSION_HEADER = {
  type: 'object',
  properties: {
    'If-Match': {
      type: 'string',
      description: 'The version that is expected, as ETag gave it; another one is answered with 412.',
    },
  },
};

/** What the document says of a route, out of its declaration and its words. */
export function describedRoute(
  { url, config = {}, schema = {} }: RouteOptions,
  method: string,
  words: RouteWords | undefined,
): DescribedRoute {
  const { params, querystring, body, response } = schema as Record<string, unknown>;
  return {
    method,
    url,
    schema: copyOf({
      operationId: operationIdOf(method, url),
      summary: words?.summary,
      description: accessWords(config),
      tags: [tagOf(url)],
      security: config.isPublic === true ? [] : undefined,
      params,
      querystring,
      headers: config.isVersioned === true ? VERSION_HEADER : undefined,
      body: body === undefined ? undefined : withExample(body, words?.example),
      response: responsesOf((response ?? {}) as Record<string, unknown>),
    }),
  };
}

function accessWords({
  isPublic,
  role,
  within,
  guard,
  scope,
  isForwardAuth,
}: NonNullable<RouteOptions['config']>) {
  if (isPublic === true) return 'For everybody.';
  if (guard !== undefined) return `For who has ${guard}.`;
  if (role !== undefined && within === 'own') return 'For everybody who is known.';
  if (role !== undefined) return `Needs the role ${role} in the ${withinWords(within)}.`;
  const where = isForwardAuth === true ? 'X-Brume-Key, or a front door' : 'a key';
  return `Needs ${where} with the scope ${scope}.`;
}

function withinWords(within: string | undefined): string {
  if (within === 'project') return 'organisation of the project';
  return within === 'installation' ? 'default organisation' : 'organisation';
}

/** What the operations are sorted by. */
function tagOf(url: string): string {
  const [, , first = 'node', , third, , fifth] = url.split('/');
  if (!url.startsWith('/v1/')) return 'node';
  if (first === 'auth') return 'forward auth';
  return (
    [fifth, third, first].find((word) => word !== undefined && word !== '' && !word.startsWith(':')) ?? first
  );
}

function withExample(body: unknown, example: unknown): unknown {
  return example === undefined ? body : { ...(body as Schema), examples: [example] };
}

function responsesOf(responses: Readonly<Record<string, unknown>>): Schema {
  return Object.fromEntries(
    Object.entries(responses).map(([status, answer]) => [
      status,
      /^[45]xx$/.test(status)
        ? PROBLEM
        : { description: STATUS_CODES[status] ?? status, ...(answer as Schema) },
    ]),
  );
}

const PROBLEM = {
  description: 'A problem (RFC 9457)',
  content: { [PROBLEM_MEDIA_TYPE]: { schema: { $ref: 'Problem#' } } },
};

/** As JSON says it: without what is undefined, and nothing shared with the route that is served. */
function copyOf(schema: unknown): Schema {
  return JSON.parse(JSON.stringify(schema));
}
