import swagger from '@fastify/swagger';
import fastify, { type RouteOptions } from 'fastify';
import { BrumeError, CATALOGUE } from '../../../src/errors/catalogue.ts';
import { problemOf } from '../../../src/planes/hooks/problem.ts';
import { ANSWER_HEADERS, answerHeaderNames } from './answer-headers.ts';
import { answerLinks } from './answer-links.ts';
import { describedRoute, operationIdOf } from './described-route.ts';
import type { WordsOfRoutes } from './route-words.ts';

export interface DocumentOptions {
  readonly title: string;
  readonly description: string;
  readonly version: string;
  readonly routes: readonly RouteOptions[];
  readonly words: WordsOfRoutes;
  readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
}

type SecurityScheme =
  | { readonly type: 'http'; readonly scheme: 'bearer'; readonly description: string }
  | { readonly type: 'apiKey'; readonly in: 'header'; readonly name: string; readonly description: string };

/** Of the routes that answer to every method, one stands for all. */
const METHODS_MAX = 10;

/** The code of a problem is out of the catalogue, and so are its status and its title. */
const PROBLEM_SCHEMA = {
  $id: 'Problem',
  type: 'object',
  required: ['type', 'title', 'status', 'code'],
  properties: {
    type: { type: 'string', description: 'urn:brume:problem: and the code' },
    title: { type: 'string' },
    status: { type: 'integer' },
    code: { type: 'string', enum: Object.keys(CATALOGUE) },
    detail: { type: 'string', description: 'what is wrong in this case' },
    field: { type: 'string', description: 'the part of the request at fault' },
  },
  examples: [problemOf(new BrumeError('bad_request', { field: 'name', detail: 'name is required.' }))],
};

/**
 * The API of a plane as OpenAPI 3.1, out of the declarations of its routes. Made by @fastify/swagger in
 * an instance of its own, when the documents are made: at run time that would stand in the way of checks
 * for a quarter of a second.
 */
export async function openApiDocument(options: DocumentOptions): Promise<object> {
  const { title, description, version, routes, words, securitySchemes } = options;
  const app = fastify({ exposeHeadRoutes: false });
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => () => '');
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.1',
      info: { title, description, version, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
      components: { securitySchemes },
      security: Object.keys(securitySchemes).map((name) => ({ [name]: [] })),
    },
    refResolver: { buildLocalReference: ({ $id }) => String($id) },
  });
  app.addSchema(PROBLEM_SCHEMA);
  const operations: Operation[] = [];
  for (const route of routes) {
    const methods = [route.method].flat().filter((method) => method !== 'HEAD');
    if (methods.length === 0 || route.url.endsWith('/*')) continue;
    const isAny = methods.length > METHODS_MAX;
    const method = isAny ? 'GET' : (methods[0] ?? 'GET');
    const routeWords = words[`${isAny ? 'ANY' : method} ${route.url}`];
    app.route({ ...describedRoute(route, method, routeWords), handler: async () => '' });
    operations.push({ method, route, isVersioned: routeWords?.isVersioned === true });
  }
  await app.ready();
  const document: unknown = app.swagger();
  await app.close();
  const described = document as Document;
  for (const operation of operations) describeAnswers(described, operation, routes);
  described.components.headers = ANSWER_HEADERS;
  return described;
}

interface Operation {
  readonly method: string;
  readonly route: RouteOptions;
  readonly isVersioned: boolean;
}

/** The parts of the document that are read here. */
interface Document {
  readonly components: { headers?: object };
  readonly paths: Readonly<Record<string, Readonly<Record<string, { responses: Responses }>>>>;
}

type Responses = Record<string, { headers?: object; links?: object }>;

/** Adds what @fastify/swagger has no words for: the headers of the answers, and what can be called next. */
function describeAnswers(document: Document, operation: Operation, routes: readonly RouteOptions[]): void {
  const { method, route } = operation;
  const path = route.url.replace(/:([a-z]+)/g, '{$1}');
  const { responses } = document.paths[path]?.[method.toLowerCase()] ?? { responses: {} };
  for (const [status, answer] of Object.entries(responses)) {
    const names = answerHeaderNames(status, operation);
    answer.headers = Object.fromEntries(
      names.map((name) => [name, { $ref: `#/components/headers/${name}` }]),
    );
    if (method !== 'POST' || !status.startsWith('2')) continue;
    const links = answerLinks(route.url, routes, operationIdOf);
    if (Object.keys(links).length > 0) answer.links = links;
  }
}
