import { type Static, Type } from '@fastify/type-provider-typebox';
import type { FastifyPluginAsync } from 'fastify';
import { BrumeError } from '../../errors/catalogue.ts';
import { NAME_PATTERN, NAME_WORDS } from '../../policy/names.ts';
import { parseTime, TIME_WORDS } from '../../policy/time-text.ts';
import type { Project } from '../../tenancy/project.ts';
import {
  STEP_MS,
  USAGE_PARTS,
  USAGE_STEPS,
  type UsagePart,
  type UsagePosition,
  type UsageRow,
  type UsageStep,
} from '../../tenancy/usage.ts';
import { PROBLEM_ANSWERS } from '../hooks/problem.ts';
import { projectOf } from './authorisation.ts';
import { isReference } from './find-or-404.ts';
import type { ManagementDeps } from './management-deps.ts';
import { listOf, pageQueryWith, pageSizeOf } from './page.ts';
import { iso, ProjectParams } from './resource-schemas.ts';
import { READ } from './route-access.ts';

/** How far a question without `from` looks back. */
const SPAN_MS: Readonly<Record<UsageStep, number>> = { hour: 24 * STEP_MS.hour, day: 30 * STEP_MS.day };

const oneOf = <T extends string>(values: readonly T[], description: string) =>
  Type.Unsafe<T>({ type: 'string', enum: [...values], description });

const UsageFilter = pageQueryWith({
  by: Type.Optional(oneOf(USAGE_PARTS, 'what to tell apart; the whole project if absent')),
  step: Type.Optional(oneOf(USAGE_STEPS, 'in UTC; a day if absent')),
  from: Type.Optional(Type.String({ maxLength: 64, description: TIME_WORDS })),
  to: Type.Optional(Type.String({ maxLength: 64, description: TIME_WORDS })),
  namespace: Type.Optional(Type.String({ pattern: NAME_PATTERN, description: NAME_WORDS })),
  key: Type.Optional(Type.String({ maxLength: 64, description: 'the id of a key' })),
});
type UsageFilter = Static<typeof UsageFilter>;

const NullableText = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], description });

const Item = Type.Object({
  start: Type.String({ description: 'Of the hour or the day; ISO 8601, UTC' }),
  namespace: NullableText('Null unless by=namespace'),
  key: NullableText('The id of a key; null unless by=key, and for checks on the management plane'),
  keyName: NullableText('Null where there is no such key'),
  allowed: Type.Integer(),
  denied: Type.Integer(),
  degraded: Type.Integer({ description: 'Those of both that the failure policy gave' }),
  cost: Type.Integer({ description: 'What the allowed ones cost together' }),
});

const Usage = Type.Object({
  by: Type.Unsafe<UsagePart | null>({ type: ['string', 'null'], enum: [...USAGE_PARTS, null] }),
  step: oneOf(USAGE_STEPS, 'in UTC'),
  from: Type.String({ description: 'The start of the first step; ISO 8601, UTC' }),
  to: Type.String({ description: 'Steps that begin before; ISO 8601, UTC' }),
  ...listOf(Item).properties,
});

/** How much a project uses, by hour or day, as the nodes have written it. */
export const usageRoute: FastifyPluginAsync<ManagementDeps> = async (app, deps) => {
  const { usage, clock } = deps;

  app.get<{ Querystring: UsageFilter }>(
    '/v1/projects/:project/usage',
    {
      config: READ,
      schema: {
        params: ProjectParams,
        querystring: UsageFilter,
        response: { 200: Usage, ...PROBLEM_ANSWERS },
      },
    },
    async (request) => {
      const { by, step = 'day', namespace, key, after } = request.query;
      const project = projectOf(request);
      const { fromMs, toMs } = rangeOf(request.query, step, clock.nowMs());
      const pageSize = pageSizeOf(request.query);
      if (key !== undefined) await assertKey(deps, project, key);
      const rows = await usage.listUsage({
        projectId: project.id,
        by,
        step,
        fromMs,
        toMs,
        pageSize,
        ...(namespace !== undefined && { namespace }),
        ...(key !== undefined && { keyId: key }),
        ...(after !== undefined && { after: positionOf(after) }),
      });
      // One that is deleted still has the usage that it had; one that was never there is a slip.
      if (rows.length === 0 && namespace !== undefined) await assertNamespace(deps, project, namespace);
      const last = rows.length < pageSize ? undefined : rows.at(-1);
      return {
        by: by ?? null,
        step,
        from: iso(fromMs),
        to: iso(toMs),
        items: rows.map((row) => itemOf(row, by)),
        next: last === undefined ? null : positionText(last),
      };
    },
  );
};

function rangeOf({ from, to }: UsageFilter, step: UsageStep, nowMs: number) {
  const toMs = to === undefined ? nowMs : timeOf('to', to);
  const wantedMs = from === undefined ? toMs - SPAN_MS[step] : timeOf('from', from);
  const fromMs = Math.max(0, Math.floor(wantedMs / STEP_MS[step]) * STEP_MS[step]);
  if (fromMs < toMs) return { fromMs, toMs };
  const detail = `from must be before to${to === undefined ? ', which is now if it is not said' : ''}.`;
  throw new BrumeError('bad_request', { field: 'from', detail });
}

function timeOf(field: string, text: string): number {
  const epochMs = parseTime(text);
  if (epochMs !== undefined) return epochMs;
  throw new BrumeError('bad_request', { field, detail: `${field} must be ${TIME_WORDS}.` });
}

async function assertKey({ tenancy }: ManagementDeps, { id }: Project, key: string): Promise<void> {
  const keys = isReference(key) ? await tenancy.listKeys(id) : [];
  if (!keys.some((one) => one.id === key)) throw new BrumeError('unknown_key', { field: 'key' });
}

async function assertNamespace({ policy }: ManagementDeps, { id }: Project, name: string): Promise<void> {
  const found = await policy.findNamespace(id, name);
  if (found === undefined) throw new BrumeError('unknown_namespace', { field: 'namespace' });
}

function itemOf({ startMs, part, keyName, ...counts }: UsageRow, by: UsagePart | undefined) {
  return {
    start: iso(startMs),
    namespace: by === 'namespace' ? part : null,
    key: by === 'key' && part !== '' ? part : null,
    keyName,
    ...counts,
  };
}

function positionText({ startMs, part }: UsagePosition): string {
  return Buffer.from(`${startMs} ${part}`).toString('base64url');
}

function positionOf(text: string): UsagePosition {
  const [, start, part = ''] =
    /^(\d{1,15}) ([A-Za-z0-9._-]{0,64})$/.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  if (start !== undefined) return { startMs: Number(start), part };
  throw new BrumeError('bad_request', { field: 'after', detail: 'after must be the next of a page.' });
}
