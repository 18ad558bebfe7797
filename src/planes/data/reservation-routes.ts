import { Type, type TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { COST_MAX } from '../../limiter/limit.ts';
import type { Limiter } from '../../limiter/limiter.ts';
import { RESERVATION_TTL_MS_MAX, RESERVATION_TTL_MS_MIN } from '../../limiter/reservations.ts';
import type { PolicySnapshot } from '../../policy/namespace.ts';
import { askedCheck, CheckBody, withIdempotencyKey } from '../hooks/asked-check.ts';
import { callerOf } from '../hooks/authentication.ts';
import { PROBLEM_ANSWERS } from '../hooks/problem.ts';
import { VerdictSchema } from '../hooks/verdict-schema.ts';
import { grantedJson, NullableGranted } from './granted.ts';
import { knownNamespace } from './known-namespace.ts';
import { DECISION_TIMEOUT_MS } from './limit-routes.ts';
import { type HeaderSwitches, verdictHeaders } from './verdict-headers.ts';

export interface ReservationRoutesOptions {
  readonly limiter: Limiter;
  readonly snapshot: PolicySnapshot;
  readonly headers: HeaderSwitches;
  readonly requestTimeoutMs: number;
}

const TTL_MS_DEFAULT = 60_000;

const ReserveBody = Type.Object(
  {
    ...CheckBody.properties,
    /** How long the estimate counts unless it is settled. */
    ttlMs: Type.Optional(Type.Integer({ minimum: RESERVATION_TTL_MS_MIN, maximum: RESERVATION_TTL_MS_MAX })),
  },
  { additionalProperties: false },
);

const Reserved = Type.Object({ ...VerdictSchema.properties, reservation: NullableGranted });

const CommitBody = Type.Object(
  { cost: Type.Integer({ minimum: 0, maximum: COST_MAX }) },
  { additionalProperties: false },
);

const Settled = Type.Object({
  id: Type.String(),
  /** The estimate. */
  reserved: Type.Integer(),
  /** What was really used, as the first commit said it; 0 for a reservation that was dropped. */
  cost: Type.Integer(),
  /** The reservation had run out, and its estimate no longer counted: the cost was charged anew. */
  late: Type.Boolean(),
});

const ReservationParams = Type.Object({ id: Type.String() });

/** `/v1/reservations`: reserve an estimated cost, then commit the real one, or drop it. */
export const reservationRoutes = fp(addReservationRoutes, {
  name: 'brume-reservation-routes',
  dependencies: ['brume-authorisation', 'brume-json-body'],
  encapsulate: true,
});

async function addReservationRoutes(app: FastifyInstance, options: ReservationRoutesOptions): Promise<void> {
  const { limiter, snapshot, headers, requestTimeoutMs } = options;
  const routes = app.withTypeProvider<TypeBoxTypeProvider>();
  const config = {
    isPublic: false,
    scope: 'limit',
    timeoutMs: requestTimeoutMs + DECISION_TIMEOUT_MS,
  } as const;
  const findNamespace = (projectId: string, name: string) => snapshot.namespace(projectId, name);

  routes.post(
    '/v1/reservations',
    { schema: { body: ReserveBody, response: { 200: Reserved, ...PROBLEM_ANSWERS } }, config },
    async (request, reply) => {
      const { projectId, keyId } = callerOf(request);
      const { ttlMs = TTL_MS_DEFAULT, ...body } = request.body;
      const asked = withIdempotencyKey(body, request.raw.rawHeaders);
      const namespace = knownNamespace(snapshot, projectId, asked.namespace);
      const { verdict, granted } = await limiter.reserve(
        askedCheck(namespace, asked, { peek: false, keyId }),
        ttlMs,
      );
      request.verdict = verdict;
      reply.headers(verdictHeaders(verdict, headers));
      const { limits, shadow } = verdict;
      return { ...verdict, limits: [...limits], shadow: [...shadow], reservation: grantedJson(granted) };
    },
  );

  routes.post(
    '/v1/reservations/:id/commit',
    {
      schema: { params: ReservationParams, body: CommitBody, response: { 200: Settled, ...PROBLEM_ANSWERS } },
      config,
    },
    async (request) => {
      const { projectId } = callerOf(request);
      const { id } = request.params;
      const { reserved, actual, isLate } = await limiter.settle(
        projectId,
        id,
        request.body.cost,
        findNamespace,
      );
      return { id, reserved, cost: actual, late: isLate };
    },
  );

  routes.delete(
    '/v1/reservations/:id',
    { schema: { params: ReservationParams, response: { 204: Type.Null(), ...PROBLEM_ANSWERS } }, config },
    async (request, reply) => {
      await limiter.settle(callerOf(request).projectId, request.params.id, 0, findNamespace);
      return reply.code(204).send(null);
    },
  );
}
