import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { assetText } from '../../assets.ts';
import { documentPage, PAGE_SCRIPT, PAGE_STYLE } from './document-pages.ts';
import { contentAnswers, PAGE_CONFIG, type PageFile, pageFiles } from './page-files.ts';

const CONFIG = { isPublic: true, timeoutMs: 30_000 } as const;

/** Made by `npm run docs` out of the routes' own declarations, not at run time. */
const DOCUMENTS = {
  '/openapi.json': 'docs/openapi.json',
  '/openapi-data.json': 'docs/openapi-data.json',
} as const;

const UI = 'node_modules/@fastify/swagger-ui/static';

/** Files of the pages; read when somebody wants them, and kept by browsers. */
const FILES = new Map<string, PageFile>([
  ['swagger-ui.css', { type: 'text/css', text: () => assetText(`${UI}/swagger-ui.css`) }],
  ['swagger-ui-bundle.js', { type: 'text/javascript', text: () => assetText(`${UI}/swagger-ui-bundle.js`) }],
  ['page.css', { type: 'text/css', text: () => PAGE_STYLE }],
  ['page.js', { type: 'text/javascript', text: () => PAGE_SCRIPT }],
]);

/** OpenAPI of both planes, and pages to read and try it. The pages hold no secrets, and nothing of this Brume. */
export const documentRoutes: FastifyPluginAsyncTypebox = async (app) => {
  for (const [path, asset] of Object.entries(DOCUMENTS)) {
    app.get(
      path,
      { config: CONFIG, schema: { response: contentAnswers('application/json') } },
      (_request, reply) => reply.type('application/json; charset=utf-8').send(Buffer.from(assetText(asset))),
    );
  }

  for (const [path, shown] of [
    ['/docs', 'management'],
    ['/docs/data', 'data'],
  ] as const) {
    app.get(
      path,
      { config: PAGE_CONFIG, schema: { response: contentAnswers('text/html') } },
      async (_request, reply) => reply.type('text/html; charset=utf-8').send(documentPage(shown)),
    );
  }

  app.register(pageFiles, { path: '/docs', files: FILES, maxAgeSeconds: 3600 });
};
