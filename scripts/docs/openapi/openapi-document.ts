import swagger from '@fastify/swagger';
import fastify, { type RouteOptions } from 'fastify';
import { BrumeError, CATALOGUE } from '../../../src/errors/catalogue.ts';
import { problemOf } from '../../../src/planes/hooks/problem.ts';
import { describedRoute } from './described-route.ts';
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
  for (const route of routes) {
    const methods = [route.method].flat().filter((method) => method !== 'HEAD');
    if (methods.length === 0 || route.url.endsWith('/*')) continue;
    const isAny = methods.length > METHODS_MAX;
    const method = isAny ? 'GET' : (methods[0] ?? 'GET');
    const described = describedRoute(route, method, words[`${isAny ? 'ANY' : method} ${route.url}`]);
    app.route({ ...described, handler: async () => '' });
  }
  await app.ready();
  const document = app.swagger();
  await app.close();
  return document;
}
