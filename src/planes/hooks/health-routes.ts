import { Type, type TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import type { CountersCondition } from '../../limiter/counters-condition.ts';
import { PROBLEM_ANSWERS } from './problem.ts';

/** Whether this node should be sent traffic, and why not. */
export interface Readiness {
  readonly isReady: boolean;
  /** `degraded` is ready: verdicts go on, by policy and snapshot. */
  readonly status: 'ready' | 'degraded' | 'starting' | 'draining' | 'unconfigured';
  readonly stores: {
    /** `read_only`: it answers, and refuses what is written. */
    readonly configuration: 'available' | 'read_only' | 'unavailable';
    /**
     * `not_saved`: checks are counted in memory, which can't be written to disk. `partly_available`: shards of
     * the Redis Cluster do not count.
     */
    readonly counters: CountersCondition['state'] | 'not_saved';
    /** What Redis shows, by its kind in docs/redis-faults.md; absent if nothing is the matter. */
    readonly countersFault?: string;
    /** The slots of those shards, as `0-5460`; absent if there are none. */
    readonly slotsAway?: readonly string[];
  };
  /** Null until a configuration has been read. */
  readonly snapshot: {
    readonly revision: number;
    readonly ageMs: number;
    /** `disk`: as of an earlier run, since the configuration store has not answered yet. */
    readonly source: 'store' | 'disk';
  } | null;
}

export interface HealthOptions {
  readonly version: string;
  readonly readiness: () => Readiness | Promise<Readiness>;
}

export const COUNTERS_STATES: readonly Readiness['stores']['counters'][] = [
  'available',
  'not_saved',
  'partly_available',
  'full',
  'read_only',
  'unavailable',
];

const Health = Type.Object({ status: Type.Literal('ok'), version: Type.String() });

const Ready = Type.Object({
  status: Type.Unsafe<Readiness['status']>({ type: 'string' }),
  stores: Type.Object({
    configuration: Type.Unsafe<Readiness['stores']['configuration']>({
      type: 'string',
      enum: ['available', 'read_only', 'unavailable'],
    }),
    counters: Type.Unsafe<Readiness['stores']['counters']>({
      type: 'string',
      enum: [...COUNTERS_STATES],
    }),
    countersFault: Type.Optional(Type.String()),
    slotsAway: Type.Optional(Type.Unsafe<readonly string[]>(Type.Array(Type.String(), { maxItems: 64 }))),
  }),
  snapshot: Type.Unsafe<Readiness['snapshot']>({
    type: ['object', 'null'],
    properties: {
      revision: { type: 'integer' },
      ageMs: { type: 'integer' },
      source: { type: 'string', enum: ['store', 'disk'] },
    },
  }),
});

const CONFIG = { isPublic: true, scope: null, timeoutMs: 5000 } as const;

/** `GET /health`: the process lives. `GET /ready`: it should be sent traffic. */
export const healthRoutes = fp(
  async (app: FastifyInstance, { version, readiness }: HealthOptions) => {
    const routes = app.withTypeProvider<TypeBoxTypeProvider>();

    routes.get(
      '/health',
      { config: CONFIG, schema: { response: { 200: Health, ...PROBLEM_ANSWERS } } },
      () => ({
        status: 'ok' as const,
        version,
      }),
    );

    routes.get(
      '/ready',
      { config: CONFIG, schema: { response: { 200: Ready, '4xx': PROBLEM_ANSWERS['4xx'], 503: Ready } } },
      async (_request, reply) => {
        const { isReady, ...state } = await readiness();
        return reply.code(isReady ? 200 : 503).send(state);
      },
    );
  },
  { name: 'brume-health-routes', dependencies: ['brume-error-answers'] },
);
