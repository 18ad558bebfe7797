import { Type, type TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { BrumeError } from '../../errors/catalogue.ts';
import type { Check } from '../../limiter/check.ts';
import type { Limiter } from '../../limiter/limiter.ts';
import type { Verdict } from '../../limiter/verdict.ts';
import type { PolicySnapshot } from '../../policy/namespace.ts';
import { askedCheck, CheckBody } from '../hooks/asked-check.ts';
import { callerOf } from '../hooks/authentication.ts';
import type { Caller } from '../hooks/caller.ts';
import { PROBLEM_ANSWERS } from '../hooks/problem.ts';
import { VerdictSchema } from '../hooks/verdict-schema.ts';
import { knownNamespace } from './known-namespace.ts';
import { DECISION_TIMEOUT_MS } from './limit-routes.ts';

export interface BatchRoutesOptions {
  readonly limiter: Limiter;
  readonly snapshot: PolicySnapshot;
  readonly bodyMaxBytes: number;
  readonly requestTimeoutMs: number;
}

const CHECKS_MAX = 1000;
const ATOMIC_CHECKS_MAX = 100;

const BatchBody = Type.Object(
  {
    checks: Type.Array(CheckBody, { minItems: 1, maxItems: CHECKS_MAX }),
    atomic: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);

const BatchAnswer = Type.Object({
  /** Every check was admitted. */
  success: Type.Boolean(),
  /** One for each check, in their order. */
  verdicts: Type.Unsafe<readonly Verdict[]>(Type.Array(VerdictSchema)),
});

/** `POST /v1/limit/batch`: many checks at once, each for itself, or with `atomic` all or none. */
export const batchRoutes = fp(addBatchRoutes, {
  name: 'brume-batch-routes',
  dependencies: ['brume-authorisation', 'brume-json-body'],
  encapsulate: true,
});

async function addBatchRoutes(app: FastifyInstance, options: BatchRoutesOptions): Promise<void> {
  const { limiter, snapshot, bodyMaxBytes, requestTimeoutMs } = options;
  app.withTypeProvider<TypeBoxTypeProvider>().post(
    '/v1/limit/batch',
    {
      bodyLimit: bodyMaxBytes,
      schema: { body: BatchBody, response: { 200: BatchAnswer, ...PROBLEM_ANSWERS } },
      config: { isPublic: false, scope: 'limit', timeoutMs: requestTimeoutMs + DECISION_TIMEOUT_MS },
    },
    async (request) => {
      const { checks: asked, atomic = false } = request.body;
      const caller = callerOf(request);
      refuseIdempotencyKey(request.raw.headers['idempotency-key']);
      if (atomic && asked.length > ATOMIC_CHECKS_MAX) throw tooManyAtOnce();
      const checks = asked.map((body, index) => named(`checks[${index}]`, () => check(caller, body)));
      const verdicts = atomic
        ? await limiter.judgeAtomically(checks)
        : await Promise.all(checks.map((one, index) => namedLater(`checks[${index}]`, limiter.judge(one))));
      request.verdicts = verdicts;
      return { success: verdicts.every(({ success }) => success), verdicts };
    },
  );

  function check({ projectId, keyId }: Caller, body: CheckBody): Check {
    return askedCheck(knownNamespace(snapshot, projectId, body.namespace), body, { peek: false, keyId });
  }
}

/** One key can't stand for many checks; taking it and charging twice would be worse than refusing. */
function refuseIdempotencyKey(header: string | string[] | undefined): void {
  if (header === undefined) return;
  throw new BrumeError('bad_request', {
    field: 'Idempotency-Key',
    detail: 'Idempotency-Key is for a single check; give each check of a batch its requestId.',
  });
}

function tooManyAtOnce(): BrumeError {
  const detail = `checks must have at most ${ATOMIC_CHECKS_MAX} entries where atomic is true.`;
  return new BrumeError('bad_request', { field: 'checks', detail });
}

/** A fault of one entry refuses the whole batch, and names the entry. */
function named<Result>(entry: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw ofEntry(entry, error);
  }
}

/** A request id that was used with another cost shows only in the store. */
async function namedLater<Result>(entry: string, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw ofEntry(entry, error);
  }
}

function ofEntry(entry: string, error: unknown): unknown {
  if (!(error instanceof BrumeError) || error.field === undefined) return error;
  const { code, field, detail } = error;
  return new BrumeError(code, {
    field: `${entry}.${field}`,
    ...(detail !== undefined && { detail: `${entry}.${detail}` }),
  });
}
