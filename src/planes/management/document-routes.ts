import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { assetText } from '../../assets.ts';
import { BrumeError } from '../../errors/catalogue.ts';
import { PROBLEM_ANSWERS } from '../hooks/problem.ts';
import { documentPage, PAGE_SCRIPT, PAGE_STYLE } from './document-pages.ts';
import './route-access.ts';

const CONFIG = { isPublic: true, timeoutMs: 30_000 } as const;
const PAGE_CONFIG = { ...CONFIG, isPage: true } as const;

/** Made by `npm run docs` out of the routes' own declarations, not at run time. */
const DOCUMENTS = {
  '/openapi.json': 'docs/openapi.json',
  '/openapi-data.json': 'docs/openapi-data.json',
} as const;

const UI = 'node_modules/@fastify/swagger-ui/static';
const CSS = 'text/css; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';

/** Files of the pages; read when somebody wants them, and kept by browsers. */
const FILES = new Map<string, { readonly type: string; readonly text: () => string }>([
  ['swagger-ui.css', { type: CSS, text: () => assetText(`${UI}/swagger-ui.css`) }],
  ['swagger-ui-bundle.js', { type: SCRIPT, text: () => assetText(`${UI}/swagger-ui-bundle.js`) }],
  ['page.css', { type: CSS, text: () => PAGE_STYLE }],
  ['page.js', { type: SCRIPT, text: () => PAGE_SCRIPT }],
]);

function answers(...types: readonly string[]) {
  const content = Object.fromEntries(types.map((type) => [type, { schema: Type.Unknown() }]));
  return { 200: { content }, ...PROBLEM_ANSWERS };
}

/** OpenAPI of both planes, and pages to read and try it. The pages hold no secrets, and nothing of this Brume. */
export const documentRoutes: FastifyPluginAsyncTypebox = async (app) => {
  for (const [path, asset] of Object.entries(DOCUMENTS)) {
    app.get(path, { config: CONFIG, schema: { response: answers('application/json') } }, (_request, reply) =>
      reply.type('application/json; charset=utf-8').send(Buffer.from(assetText(asset))),
    );
  }

  for (const [path, shown] of [
    ['/docs', 'management'],
    ['/docs/data', 'data'],
  ] as const) {
    app.get(
      path,
      { config: PAGE_CONFIG, schema: { response: answers('text/html') } },
      async (_request, reply) => reply.type('text/html; charset=utf-8').send(documentPage(shown)),
    );
  }

  app.get(
    '/docs/:file',
    {
      config: PAGE_CONFIG,
      schema: {
        params: Type.Object({ file: Type.String() }),
        response: answers('text/css', 'text/javascript'),
      },
    },
    async (request, reply) => {
      const file = FILES.get(request.params.file);
      if (file === undefined) throw new BrumeError('unknown_route');
      return reply.header('cache-control', 'max-age=3600').type(file.type).send(file.text());
    },
  );
};
