import { type Static, Type } from '@fastify/type-provider-typebox';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { BrumeError } from '../../errors/catalogue.ts';
import { parseTime, TIME_WORDS } from '../../policy/time-text.ts';
import type { AuditEntry, AuditQuery, AuditStore } from '../../tenancy/audit.ts';
import { PROBLEM_ANSWERS } from '../hooks/problem.ts';
import { streamOf } from '../hooks/streamed-answer.ts';
import { withShownTimes } from './audit-times.ts';
import { organisationOf, projectOf } from './authorisation.ts';
import type { ManagementDeps } from './management-deps.ts';
import { OrganisationParams } from './organisation-schemas.ts';
import { listOf, pageQueryWith, pageSizeOf } from './page.ts';
import { iso, ProjectParams } from './resource-schemas.ts';
import { access } from './route-access.ts';

const ND_JSON = 'application/x-ndjson';
/** What a reader who stands still holds several times: as rows, as text and in buffers. */
const PAGE_SIZE = 200;

const Entry = Type.Object({
  revision: Type.Integer(),
  at: Type.String({ description: 'ISO 8601, UTC' }),
  actor: Type.String(),
  address: Type.Union([Type.String(), Type.Null()]),
  requestId: Type.Union([Type.String(), Type.Null()]),
  organisationId: Type.Union([Type.String(), Type.Null()]),
  projectId: Type.Union([Type.String(), Type.Null()]),
  action: Type.String(),
  target: Type.String(),
  before: Type.Unknown(),
  after: Type.Unknown(),
});

/** A store is shown nothing that it can't hold. */
const PLAIN = { pattern: '^[^\\p{Cc}\\p{Cs}]*$', description: 'text without control characters' };

const Filter = pageQueryWith({
  actor: Type.Optional(Type.String({ maxLength: 256, ...PLAIN })),
  action: Type.Optional(Type.String({ maxLength: 64, ...PLAIN })),
  from: Type.Optional(Type.String({ maxLength: 64, description: TIME_WORDS })),
  to: Type.Optional(Type.String({ maxLength: 64, description: TIME_WORDS })),
});

interface Filtered {
  Querystring: Static<typeof Filter>;
}

type Place = Pick<AuditQuery, 'organisationId' | 'projectId'>;

/** Who changed what: of the installation, an organisation, a project. Read only, the oldest first. */
export const auditRoutes: FastifyPluginAsync<ManagementDeps> = async (app, { audit }) => {
  const schema = { querystring: Filter, response: { 200: listOf(Entry), ...PROBLEM_ANSWERS } };

  app.get<Filtered>('/v1/audit', { config: access('installation', 'admin'), schema }, (request, reply) =>
    answer(audit, request, reply, {}),
  );

  app.get<Filtered>(
    '/v1/organisations/:organisation/audit',
    { config: access('organisation', 'admin'), schema: { ...schema, params: OrganisationParams } },
    (request, reply) => answer(audit, request, reply, { organisationId: organisationOf(request).id }),
  );

  app.get<Filtered>(
    '/v1/projects/:project/audit',
    { config: access('project', 'admin'), schema: { ...schema, params: ProjectParams } },
    (request, reply) => answer(audit, request, reply, { projectId: projectOf(request).id }),
  );
};

async function answer(
  audit: AuditStore,
  request: FastifyRequest<Filtered>,
  reply: FastifyReply,
  place: Place,
): Promise<FastifyReply> {
  const query = { ...place, ...filterOf(request.query) };
  reply.header('vary', 'Accept, Origin');
  if (request.headers.accept?.includes(ND_JSON) === true) {
    const limit = request.query.limit === undefined ? Number.POSITIVE_INFINITY : pageSizeOf(request.query);
    const stream = streamOf(reply, lines(audit, query, limit));
    return reply.header('content-type', ND_JSON).send(stream);
  }
  const pageSize = pageSizeOf(request.query);
  const entries = await audit.listAudit({ ...query, pageSize });
  const next = entries.length < pageSize ? null : (entries.at(-1)?.revision ?? null);
  return reply.send({ items: entries.map(entryJson), next: next === null ? null : String(next) });
}

/** One entry a line, read page by page: as many as there are, in bounded memory. */
async function* lines(
  audit: AuditStore,
  query: Omit<AuditQuery, 'pageSize'>,
  limit: number,
): AsyncGenerator<string> {
  let left = limit;
  let after = query.after;
  while (left > 0) {
    const pageSize = Math.min(left, PAGE_SIZE);
    const page = await audit.listAudit({ ...query, ...(after !== undefined && { after }), pageSize });
    if (page.length > 0) yield page.map((entry) => `${JSON.stringify(entryJson(entry))}\n`).join('');
    if (page.length < pageSize) return;
    left -= page.length;
    after = page.at(-1)?.revision;
  }
}

function filterOf(query: Static<typeof Filter>): Omit<AuditQuery, 'pageSize' | keyof Place> {
  const { actor, action, from, to, after } = query;
  return {
    ...(actor !== undefined && { actor }),
    ...(action !== undefined && { action }),
    ...(from !== undefined && { fromMs: timeOf('from', from) }),
    ...(to !== undefined && { toMs: timeOf('to', to) }),
    ...(after !== undefined && { after: revisionOf(after) }),
  };
}

function timeOf(field: string, text: string): number {
  const epochMs = parseTime(text);
  if (epochMs !== undefined) return epochMs;
  throw new BrumeError('bad_request', { field, detail: `${field} must be ${TIME_WORDS}.` });
}

function revisionOf(text: string): number {
  if (/^[0-9]{1,15}$/.test(text)) return Number(text);
  throw new BrumeError('bad_request', { field: 'after', detail: 'after must be the next of a page.' });
}

function entryJson({ atMs, before, after, ...entry }: AuditEntry) {
  return { ...entry, at: iso(atMs), before: withShownTimes(before), after: withShownTimes(after) };
}
