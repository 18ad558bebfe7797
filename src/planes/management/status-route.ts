import { type FastifyPluginAsyncTypebox, type Static, Type } from '@fastify/type-provider-typebox';
import { BrumeError } from '../../errors/catalogue.ts';
import { FAILURE_POLICIES } from '../../limiter/degradation.ts';
import { COUNTERS_STATES } from '../hooks/health-routes.ts';
import { PROBLEM_ANSWERS } from '../hooks/problem.ts';
import type { ManagementDeps } from './management-deps.ts';
import type { NodeStatus } from './node-status.ts';
import { iso } from './resource-schemas.ts';
import { access } from './route-access.ts';

const oneOf = <T extends string>(...values: readonly T[]) =>
  Type.Unsafe<T>({ type: 'string', enum: [...values] });
const orNull = <T>(schema: object, description?: string) =>
  Type.Unsafe<T | null>({
    ...schema,
    ...('type' in schema && { type: [schema.type, 'null'] }),
    ...(description && { description }),
  });

const Circuit = Type.Object({ closed: Type.Integer(), open: Type.Integer(), halfOpen: Type.Integer() });

const Status = Type.Object({
  status: Type.Unsafe<NodeStatus['status']>({ type: 'string', description: 'As on /ready' }),
  version: Type.String(),
  startedAt: Type.String({ description: 'ISO 8601, UTC' }),
  host: Type.String(),
  pid: Type.Integer(),
  nodes: Type.Integer({ description: 'Those that share the configuration store, this one included' }),
  nodesElsewhere: Type.Array(Type.Object({ host: Type.String(), pid: Type.Integer() }), {
    description: "Those of them that count in another Redis, or can't reach this node's",
  }),
  configuration: Type.Object({
    kind: oneOf('sqlite', 'postgresql'),
    state: oneOf('available', 'read_only', 'unavailable'),
  }),
  counters: Type.Object({
    kind: oneOf('embedded', 'redis'),
    state: oneOf(...COUNTERS_STATES),
    fault: orNull<string>({ type: 'string' }, 'What Redis shows, by its kind in redis-faults.md'),
    topology: orNull<'single' | 'sentinel' | 'cluster'>(
      { type: 'string' },
      'Of Redis: single, sentinel or cluster',
    ),
    circuit: orNull<Static<typeof Circuit>>(Circuit, 'Connections to Redis by the state of their circuit'),
    mayEvict: orNull<boolean>({ type: 'boolean' }, 'Its maxmemory-policy is another than noeviction'),
    slotsAway: Type.Array(Type.String()),
    losses: Type.Integer({
      description: 'Times at which they may have lost what they had counted, since the start',
    }),
  }),
  snapshot: Type.Unsafe<NodeStatus['snapshot']>({
    type: ['object', 'null'],
    properties: {
      revision: { type: 'integer' },
      ageMs: { type: 'integer' },
      source: { type: 'string', enum: ['store', 'disk'] },
    },
  }),
  quotaCheckpoints: Type.Object({
    pending: Type.Integer(),
    written: Type.Integer(),
    failures: Type.Integer(),
    dropped: Type.Integer(),
    restored: Type.Integer(),
  }),
  degraded: Type.Array(
    Type.Object({
      projectId: Type.String(),
      namespace: Type.String(),
      policy: oneOf(...FAILURE_POLICIES),
      fault: Type.String(),
      since: Type.String({ description: 'ISO 8601, UTC' }),
      verdicts: Type.Integer({ description: 'By the failure policy, since then' }),
    }),
    { description: 'Namespaces whose failure policy gave a verdict in the last 10 s' },
  ),
});

/** What this node says of itself, for those who look after the installation. */
export const statusRoute: FastifyPluginAsyncTypebox<ManagementDeps> = async (app, { status }) => {
  app.get(
    '/v1/status',
    { config: access('installation', 'viewer'), schema: { response: { 200: Status, ...PROBLEM_ANSWERS } } },
    async () => {
      if (status === undefined) throw new BrumeError('unknown_route');
      return statusJson(await status());
    },
  );
};

function statusJson({ stores, redis, checkpoints, degraded, ...node }: NodeStatus): Static<typeof Status> {
  const { losses, lostAtMs, ...quotaCheckpoints } = checkpoints;
  const { status, version, startedMs, host, pid, nodes, nodesElsewhere, snapshot } = node;
  return {
    status,
    version,
    startedAt: iso(startedMs),
    host,
    pid,
    nodes,
    nodesElsewhere: [...nodesElsewhere],
    configuration: { kind: node.configuration, state: stores.configuration },
    counters: {
      kind: node.counters,
      state: stores.counters,
      fault: stores.countersFault ?? null,
      topology: node.topology,
      circuit: redis === undefined ? null : circuitOf(redis.breakers),
      mayEvict: redis?.mayEvict ?? null,
      slotsAway: [...(stores.slotsAway ?? [])],
      losses,
    },
    snapshot,
    quotaCheckpoints,
    degraded: degraded.map(({ projectId, name, policy, fault, sinceMs, verdicts }) => ({
      projectId,
      namespace: name,
      policy,
      fault,
      since: iso(sinceMs),
      verdicts,
    })),
  };
}

function circuitOf({ closed, open, half_open: halfOpen }: Readonly<Record<string, number>>) {
  return { closed: closed ?? 0, open: open ?? 0, halfOpen: halfOpen ?? 0 };
}
