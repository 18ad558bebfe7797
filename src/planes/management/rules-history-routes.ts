import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { BrumeError } from '../../errors/catalogue.ts';
import { inTurns, mapping } from '../../policy/rules/steps.ts';
import { actorOf } from '../hooks/identification.ts';
import { jsonAnswer } from '../hooks/json-answer.ts';
import { PROBLEM_ANSWERS } from '../hooks/problem.ts';
import { announceItems } from './announce-items.ts';
import { projectOf } from './authorisation.ts';
import { ifMatchRevision, revisionOr404 } from './if-match.ts';
import type { ManagementDeps } from './management-deps.ts';
import { ProjectParams } from './resource-schemas.ts';
import { CHANGE, READ, versioned } from './route-access.ts';
import {
  AppliedRules,
  Change,
  ChangeList,
  changeJson,
  HistoryQuery,
  itemJson,
  RevisionParams,
  showingApplied,
} from './rules-schemas.ts';

const PAGE_SIZE = 50;

/** What changed in a project, by whom, and the way back. */
export const rulesHistoryRoutes: FastifyPluginAsyncTypebox<ManagementDeps> = async (app, deps) => {
  const { rules: store } = deps;

  app.get(
    '/v1/projects/:project/changes',
    {
      config: READ,
      schema: {
        params: ProjectParams,
        querystring: HistoryQuery,
        response: { 200: ChangeList, ...PROBLEM_ANSWERS },
      },
    },
    async (request) => {
      const { before, limit } = request.query;
      const project = projectOf(request);
      const pageSize = limit === undefined ? PAGE_SIZE : Number(limit);
      const changes = await store.listChanges(project.id, {
        ...(before !== undefined && { before: Number(before) }),
        pageSize,
      });
      const next = changes.length < pageSize ? null : (changes.at(-1)?.revision ?? null);
      return { items: changes.map(changeJson), next };
    },
  );

  app.get(
    '/v1/projects/:project/changes/:revision',
    {
      config: READ,
      schema: { params: RevisionParams, response: { 200: Change, ...PROBLEM_ANSWERS } },
    },
    async (request, reply) => {
      const project = projectOf(request);
      const change = await store.findChange(project.id, revisionOr404(request.params.revision));
      if (change === undefined) throw new BrumeError('unknown_revision');
      const json = { ...changeJson(change), items: await inTurns(mapping(change.items, itemJson)) };
      return reply.send(jsonAnswer(reply, json, json.items.length));
    },
  );

  app.post(
    '/v1/projects/:project/changes/:revision/rollback',
    {
      config: versioned(CHANGE),
      schema: {
        params: RevisionParams,
        body: Type.Object({}, { additionalProperties: false }),
        response: { 200: AppliedRules, ...PROBLEM_ANSWERS },
      },
    },
    async (request, reply) => {
      const expected = ifMatchRevision(request.headers['if-match']);
      const project = projectOf(request);
      const actor = actorOf(request);
      const revision = revisionOr404(request.params.revision);
      const applied = await store.rollBack(project.id, revision, { actor, ...expected });
      await announceItems(deps, project.id, applied);
      const json = await inTurns(showingApplied(applied, { isRollback: true }));
      const answer = jsonAnswer(reply, json, json.items.length, { isOfChange: true });
      return reply.header('etag', `"${applied.revision}"`).send(answer);
    },
  );
};
