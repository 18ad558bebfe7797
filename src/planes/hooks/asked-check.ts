import { type Static, Type } from '@fastify/type-provider-typebox';
import type { Check } from '../../limiter/check.ts';
import { COST_MAX } from '../../limiter/limit.ts';
import { identified } from '../../policy/identified.ts';
import type { Namespace } from '../../policy/namespace.ts';
import { badHeader, type RawHeaders, soleHeader } from './header-lines.ts';

/** 1 to 128 printable ASCII characters. */
const REQUEST_ID = /^[\x20-\x7e]{1,128}$/;
const REQUEST_ID_WORDS = '1 to 128 printable ASCII characters';

/** A check as a body asks it. */
export const CheckBody = Type.Object(
  {
    namespace: Type.String(),
    identifier: Type.String(),
    cost: Type.Optional(Type.Integer({ minimum: 0, maximum: COST_MAX })),
    requestId: Type.Optional(Type.String({ pattern: REQUEST_ID.source, description: REQUEST_ID_WORDS })),
  },
  { additionalProperties: false },
);
export type CheckBody = Static<typeof CheckBody>;

/** Throws BrumeError `bad_request` for an identifier that the namespace can't take. */
export function askedCheck(
  namespace: Namespace,
  body: CheckBody,
  { peek, keyId }: { readonly peek: boolean; readonly keyId?: string },
): Check {
  const { cost = 1, requestId } = body;
  const who = identified(namespace.rule, body.identifier);
  return {
    namespace,
    ...who,
    cost,
    peek,
    ...(keyId !== undefined && { keyId }),
    ...(requestId !== undefined && { requestId }),
  };
}

/**
 * The request id of a check is said in its body or in the header Idempotency-Key; where both are
 * there, they must agree.
 */
export function withIdempotencyKey(body: CheckBody, headers: RawHeaders): CheckBody {
  const name = 'Idempotency-Key';
  const key = soleHeader(headers, name);
  if (key === undefined) return body;
  if (!REQUEST_ID.test(key)) throw badHeader(name, `must be ${REQUEST_ID_WORDS}`);
  if (body.requestId !== undefined && body.requestId !== key) {
    throw badHeader(name, 'differs from requestId in the body');
  }
  return { ...body, requestId: key };
}
