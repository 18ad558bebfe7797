import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { BrumeError } from '../../../errors/catalogue.ts';
import { PROBLEM_ANSWERS } from '../../hooks/problem.ts';
import '../route-access.ts';
import { INVITATION_PAGE, INVITATION_SCRIPT, INVITATION_STYLE } from './invitation-page.ts';

const PAGE = { isPublic: true, isPage: true, timeoutMs: 30_000 } as const;

const FILES = new Map([
  ['page.css', { type: 'text/css; charset=utf-8', text: INVITATION_STYLE }],
  ['page.js', { type: 'text/javascript; charset=utf-8', text: INVITATION_SCRIPT }],
]);

function answers(...types: readonly string[]) {
  const content = Object.fromEntries(types.map((type) => [type, { schema: Type.Unknown() }]));
  return { 200: { content }, ...PROBLEM_ANSWERS };
}

/** Where somebody who was invited sets a password. The same for everybody: it knows nothing of the link. */
export const invitationPageRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get('/invitation', { config: PAGE, schema: { response: answers('text/html') } }, (_request, reply) =>
    reply.type('text/html; charset=utf-8').send(INVITATION_PAGE),
  );

  app.get(
    '/invitation/:file',
    {
      config: PAGE,
      schema: {
        params: Type.Object({ file: Type.String() }),
        response: answers('text/css', 'text/javascript'),
      },
    },
    async (request, reply) => {
      const file = FILES.get(request.params.file);
      if (file === undefined) throw new BrumeError('unknown_route');
      return reply.type(file.type).send(file.text);
    },
  );
};
