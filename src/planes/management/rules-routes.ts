import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { BrumeError } from '../../errors/catalogue.ts';
import type { ProjectRules } from '../../policy/rules/project-rules.ts';
import { parsingRules, rulesRefused } from '../../policy/rules/rules-input.ts';
import { exportingRules } from '../../policy/rules/rules-json.ts';
import { inTurns } from '../../policy/rules/steps.ts';
import { badMember } from '../../policy/schema-fault.ts';
import type { Project } from '../../tenancy/project.ts';
import { actorOf } from '../hooks/identification.ts';
import { jsonAnswer } from '../hooks/json-answer.ts';
import { PROBLEM_ANSWERS } from '../hooks/problem.ts';
import { announceItems } from './announce-items.ts';
import { projectOf } from './authorisation.ts';
import { ifMatchRevision } from './if-match.ts';
import type { ManagementDeps } from './management-deps.ts';
import { ProjectParams } from './resource-schemas.ts';
import { CHANGE, READ, versioned } from './route-access.ts';
import { AppliedRules, ApplyQuery, ExportedRules, RulesInput, showingApplied } from './rules-schemas.ts';

/** Of a project's rules as JSON. */
const RULES_MAX_BYTES = 16 * 1024 * 1024;

/** A project's rules as a whole; rules-history-routes.ts has their history. */
export const rulesRoutes: FastifyPluginAsyncTypebox<ManagementDeps> = async (app, deps) => {
  const { rules: store, clock } = deps;

  app.get(
    '/v1/projects/:project/rules',
    {
      config: READ,
      schema: { params: ProjectParams, response: { 200: ExportedRules, ...PROBLEM_ANSWERS } },
    },
    async (request, reply) => {
      const project = projectOf(request);
      const { revision, rules } = await store.exportRules(project.id);
      const exported = await inTurns(exportingRules(project.name, rules, clock.nowMs()));
      const json = { revision, rules: exported.rules, leftOut: [...exported.leftOut] };
      const answer = jsonAnswer(reply, json, entriesOf(rules));
      return reply.header('etag', `"${revision}"`).send(answer);
    },
  );

  app.put(
    '/v1/projects/:project/rules',
    {
      config: versioned(CHANGE),
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
      const project = projectOf(request);
      const rules = await parsedRules(request.body, project);
      if (request.query.dryRun === 'true') {
        const difference = await store.diffRules(project.id, rules, { prune });
        if (expected.expectedRevision !== undefined && expected.expectedRevision !== difference.revision) {
          const detail = `The project's last change is ${difference.revision}, not ${expected.expectedRevision}.`;
          throw new BrumeError('revision_conflict', { field: 'If-Match', detail });
        }
        const json = await inTurns(showingApplied(difference));
        const answer = jsonAnswer(reply, json, json.items.length);
        return reply.header('etag', `"${difference.revision}"`).send(answer);
      }
      const actor = actorOf(request);
      const applied = await store.applyRules(project.id, rules, { actor, prune, ...expected });
      await announceItems(deps, project.id, applied);
      const json = await inTurns(showingApplied(applied));
      const answer = jsonAnswer(reply, json, json.items.length, { isOfChange: true });
      return reply.header('etag', `"${applied.revision}"`).send(answer);
    },
  );
};

function entriesOf({ namespaces }: ProjectRules): number {
  let count = namespaces.size;
  for (const { exceptions } of namespaces.values()) {
    for (const section of Object.values(exceptions)) count += section.length;
  }
  return count;
}

async function parsedRules(body: unknown, project: Project): Promise<ProjectRules> {
  const { project: named, rules, faults } = await inTurns(parsingRules(body));
  if (faults.length > 0) throw rulesRefused(faults);
  if (named !== undefined && named !== project.name) {
    throw badMember('project', `is ${named}, but the call is about ${project.name}`);
  }
  return rules;
}
