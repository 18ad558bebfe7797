import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { BrumeError } from '../../errors/catalogue.ts';
import type { ProjectRules } from '../../policy/rules/project-rules.ts';
import { parsingRules, rulesRefused } from '../../policy/rules/rules-input.ts';
import { exportingRules } from '../../policy/rules/rules-json.ts';
import { inTurns } from '../../policy/rules/steps.ts';
import { badMember } from '../../policy/schema-fault.ts';
import type { Project } from '../../tenancy/project.ts';
import { AUTHOR_HEADER, authorOf } from '../hooks/author.ts';
import { PROBLEM_ANSWERS } from '../hooks/problem.ts';
import { announceItems } from './announce-items.ts';
import { projectOr404 } from './find-or-404.ts';
import { ifMatchRevision, revisionOr404 } from './if-match.ts';
import type { ManagementDeps } from './management-deps.ts';
import { ProjectParams } from './resource-schemas.ts';
import { CHANGE, READ } from './route-access.ts';
import {
  AppliedRules,
  ApplyQuery,
  appliedJson,
  Change,
  ChangeList,
  changeJson,
  ExportedRules,
  HistoryQuery,
  itemJson,
  RevisionParams,
  RulesInput,
} from './rules-schemas.ts';

/** Of a project's rules as JSON. */
const RULES_MAX_BYTES = 16 * 1024 * 1024;
const PAGE_SIZE = 50;

/** A project's rules as a whole, their history, and the way back. */
export const rulesRoutes: FastifyPluginAsyncTypebox<ManagementDeps> = async (app, deps) => {
  const { tenancy, rules: store, clock } = deps;

  app.get(
    '/v1/projects/:project/rules',
    {
      config: READ,
      schema: { params: ProjectParams, response: { 200: ExportedRules, ...PROBLEM_ANSWERS } },
    },
    async (request, reply) => {
      const project = await projectOr404(tenancy, request.params.project);
      const { revision, rules } = await store.exportRules(project.id);
      const exported = await inTurns(exportingRules(project.name, rules, clock.nowMs()));
      return reply
        .header('etag', `"${revision}"`)
        .send({ revision, rules: exported.rules, leftOut: [...exported.leftOut] });
    },
  );

  app.put(
    '/v1/projects/:project/rules',
    {
      config: CHANGE,
      bodyLimit: RULES_MAX_BYTES,
      schema: {
        params: ProjectParams,
        querystring: ApplyQuery,
        body: RulesInput,
        response: { 200: AppliedRules, ...PROBLEM_ANSWERS },
      },
    },
    async (request, reply) => {
      const prune = request.query.prune === 'true';
      const expected = ifMatchRevision(request.headers['if-match']);
      const project = await projectOr404(tenancy, request.params.project);
      const rules = await parsedRules(request.body, project);
      if (request.query.dryRun === 'true') {
        const difference = await store.diffRules(project.id, rules, { prune });
        if (expected.expectedRevision !== undefined && expected.expectedRevision !== difference.revision) {
          const detail = `The project's last change is ${difference.revision}, not ${expected.expectedRevision}.`;
          throw new BrumeError('revision_conflict', { field: 'If-Match', detail });
        }
        return reply.header('etag', `"${difference.revision}"`).send(appliedJson(difference));
      }
      const author = authorOf(request.headers[AUTHOR_HEADER]);
      const applied = await store.applyRules(project.id, rules, { author, prune, ...expected });
      await announceItems(deps, project.id, applied);
      return reply.header('etag', `"${applied.revision}"`).send(appliedJson(applied));
    },
  );

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
      const project = await projectOr404(tenancy, request.params.project);
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
    async (request) => {
      const project = await projectOr404(tenancy, request.params.project);
      const change = await store.findChange(project.id, revisionOr404(request.params.revision));
      if (change === undefined) throw new BrumeError('unknown_revision');
      return { ...changeJson(change), items: change.items.map(itemJson) };
    },
  );

  app.post(
    '/v1/projects/:project/changes/:revision/rollback',
    {
      config: CHANGE,
      schema: {
        params: RevisionParams,
        body: Type.Object({}, { additionalProperties: false }),
        response: { 200: AppliedRules, ...PROBLEM_ANSWERS },
      },
    },
    async (request, reply) => {
      const expected = ifMatchRevision(request.headers['if-match']);
      const project = await projectOr404(tenancy, request.params.project);
      const author = authorOf(request.headers[AUTHOR_HEADER]);
      const revision = revisionOr404(request.params.revision);
      const applied = await store.rollBack(project.id, revision, { author, ...expected });
      await announceItems(deps, project.id, applied);
      return reply.header('etag', `"${applied.revision}"`).send(appliedJson(applied, { isRollback: true }));
    },
  );
};

async function parsedRules(body: unknown, project: Project): Promise<ProjectRules> {
  const { project: named, rules, faults } = await inTurns(parsingRules(body));
  if (faults.length > 0) throw rulesRefused(faults);
  if (named !== undefined && named !== project.name) {
    throw badMember('project', `is ${named}, but the call is about ${project.name}`);
  }
  return rules;
}
