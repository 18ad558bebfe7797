import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { BrumeError } from '../../errors/catalogue.ts';
import { PROBLEM_ANSWERS } from '../hooks/problem.ts';
import './route-access.ts';

/** Pages and their files are for everybody: they hold no secrets, and nothing of this Brume. */
export const PAGE_CONFIG = { isPublic: true, isPage: true, timeoutMs: 30_000 } as const;

export interface PageFile {
  readonly type: 'text/css' | 'text/javascript';
  /** Called when somebody wants it. */
  readonly text: () => string;
}

/** The declaration of answers that are no JSON of the API. */
export function contentAnswers(...types: readonly string[]) {
  const content = Object.fromEntries(types.map((type) => [type, { schema: Type.Unknown() }]));
  return { 200: { content }, ...PROBLEM_ANSWERS };
}

export interface PageFilesOptions {
  /** The path that the files' names are appended to. */
  readonly path: string;
  readonly files: ReadonlyMap<string, PageFile>;
  /** How long browsers keep them; 0 if absent. */
  readonly maxAgeSeconds?: number;
}

/** Style and script of a page, which its content security policy allows from here only. */
export const pageFiles: FastifyPluginAsyncTypebox<PageFilesOptions> = async (app, options) => {
  const { path, files, maxAgeSeconds = 0 } = options;
  app.get(
    `${path}/:file`,
    {
      config: PAGE_CONFIG,
      schema: {
        params: Type.Object({ file: Type.String() }),
        response: contentAnswers('text/css', 'text/javascript'),
      },
    },
    async (request, reply) => {
      const file = files.get(request.params.file);
      if (file === undefined) throw new BrumeError('unknown_route');
      if (maxAgeSeconds > 0) reply.header('cache-control', `max-age=${maxAgeSeconds}`);
      return reply.type(`${file.type}; charset=utf-8`).send(file.text());
    },
  );
};
