import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { contentAnswers, PAGE_CONFIG, type PageFile, pageFiles } from '../page-files.ts';
import { INVITATION_PAGE, INVITATION_SCRIPT, INVITATION_STYLE } from './invitation-page.ts';

const FILES = new Map<string, PageFile>([
  ['page.css', { type: 'text/css', text: () => INVITATION_STYLE }],
  ['page.js', { type: 'text/javascript', text: () => INVITATION_SCRIPT }],
]);

/** Where somebody who was invited sets a password. The same for everybody: it knows nothing of the link. */
export const invitationPageRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/invitation',
    { config: PAGE_CONFIG, schema: { response: contentAnswers('text/html') } },
    (_request, reply) => reply.type('text/html; charset=utf-8').send(INVITATION_PAGE),
  );
  // Not kept by browsers: the page holds a link that works once, and must fit the Brume that it is sent to.
  app.register(pageFiles, { path: '/invitation', files: FILES });
};
