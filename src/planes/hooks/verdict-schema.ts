import { type Static, Type } from '@fastify/type-provider-typebox';
import type { Period } from '../../limiter/calendar.ts';
import type { Algorithm } from '../../limiter/limit.ts';
import type { Reason } from '../../limiter/verdict.ts';

/** A type array instead of a union: the serializer then needs no validator to choose by. */
const NullableInteger = Type.Unsafe<number | null>({ type: ['integer', 'null'] });

const LimitVerdictSchema = Type.Object({
  name: Type.String(),
  algorithm: Type.Unsafe<Algorithm>({ type: 'string' }),
  success: Type.Boolean(),
  limit: Type.Integer(),
  windowMs: NullableInteger,
  period: Type.Unsafe<Period | null>({ type: ['string', 'null'] }),
  quota: Type.Integer(),
  remaining: Type.Integer(),
  reset: NullableInteger,
  retryAfter: NullableInteger,
  growsAfter: NullableInteger,
});

const LimitVerdicts = Type.Unsafe<readonly Static<typeof LimitVerdictSchema>[]>(
  Type.Array(LimitVerdictSchema),
);

/** A verdict as the API gives it: limiter/verdict.ts says what the members mean. */
export const VerdictSchema = Type.Object({
  success: Type.Boolean(),
  namespace: Type.String(),
  identifier: Type.String(),
  limit: NullableInteger,
  remaining: NullableInteger,
  reset: NullableInteger,
  retryAfter: NullableInteger,
  delayMs: Type.Integer(),
  reason: Type.Unsafe<Reason | null>({ type: ['string', 'null'] }),
  degraded: Type.Boolean(),
  limits: LimitVerdicts,
  shadow: LimitVerdicts,
  requestId: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
});
