import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { BrumeError } from '../../errors/catalogue.ts';
import type { Estimate } from '../../telemetry/top/space-saving.ts';
import { PROBLEM_ANSWERS } from '../hooks/problem.ts';
import { projectOf } from './authorisation.ts';
import { namespaceOr404 } from './find-or-404.ts';
import type { ManagementDeps } from './management-deps.ts';
import { iso, NamespaceParams } from './resource-schemas.ts';
import { READ } from './route-access.ts';

/** All that two periods can hold. */
const LIMIT_MAX = 128;
const LIMIT_DEFAULT = 10;

const Item = Type.Object({
  identifier: Type.String(),
  /** It came so often at most, and at least so often less `error`. */
  count: Type.Integer(),
  error: Type.Integer(),
});

const Top = Type.Object({
  since: Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'ISO 8601, UTC' }),
  checks: Type.Integer(),
  denials: Type.Integer(),
  busiest: Type.Array(Item),
  mostDenied: Type.Array(Item),
});

const NOTHING = { since: null, checks: 0, denials: 0, busiest: [], mostDenied: [] };

/** Which identifiers of a namespace come most, and are denied most, on this node. */
export const topRoute: FastifyPluginAsyncTypebox<ManagementDeps> = async (app, { policy, top }) => {
  app.get(
    '/v1/projects/:project/namespaces/:namespace/top',
    {
      config: READ,
      schema: {
        params: NamespaceParams,
        querystring: Type.Object(
          { limit: Type.Optional(Type.String({ pattern: '^[0-9]{1,3}$' })) },
          { additionalProperties: false },
        ),
        response: { 200: Top, ...PROBLEM_ANSWERS },
      },
    },
    async (request) => {
      if (top === undefined) throw isOff();
      const limit = limitOf(request.query.limit);
      const project = projectOf(request);
      const { id } = await namespaceOr404(policy, project, request.params.namespace);
      const found = top.top(id, limit);
      if (found === undefined) return NOTHING;
      const { sinceMs, checks, denials, busiest, mostDenied } = found;
      return {
        since: iso(sinceMs),
        checks,
        denials,
        busiest: busiest.map(itemOf),
        mostDenied: mostDenied.map(itemOf),
      };
    },
  );
};

function itemOf({ key, count, error }: Estimate) {
  return { identifier: key, count, error };
}

function limitOf(text: string | undefined): number {
  const limit = text === undefined ? LIMIT_DEFAULT : Number(text);
  if (limit >= 1 && limit <= LIMIT_MAX) return limit;
  const detail = `limit must be a whole number from 1 to ${LIMIT_MAX}.`;
  throw new BrumeError('bad_request', { field: 'limit', detail });
}

function isOff(): BrumeError {
  const detail = 'No identifiers are watched on this node: BRUME_TOP_IDENTIFIERS is false.';
  return new BrumeError('unknown_route', { detail });
}
