import { type Static, Type } from '@fastify/type-provider-typebox';
import { EXCEPTIONS_PER_CALL_MAX } from '../../policy/exceptions/exception-store.ts';
import type { ExceptionKind, RuleException } from '../../policy/exceptions/rule-exception.ts';
import { iso, NamespaceParams } from './resource-schemas.ts';

/** Exceptions as the management API takes and shows them. */

/** Under which name the exceptions of a kind stand in paths. */
export const COLLECTIONS = {
  block: 'blocks',
  exemption: 'exemptions',
  override: 'overrides',
} as const satisfies Record<ExceptionKind, string>;

export const ExceptionParams = Type.Object({ ...NamespaceParams.properties, exception: Type.String() });

const PAGE_SIZE_MAX = 1000;
export const PAGE_SIZE = 100;

/** Of a query everything is text. */
export const ListQuery = Type.Object(
  {
    match: Type.Optional(Type.String()),
    expired: Type.Optional(Type.Enum(['true', 'false'], { description: 'true or false' })),
    after: Type.Optional(Type.String({ minLength: 1, maxLength: 4096, description: 'the next of a page' })),
    limit: Type.Optional(
      Type.String({
        pattern: `^([1-9][0-9]{0,2}|${PAGE_SIZE_MAX})$`,
        description: `a whole number from 1 to ${PAGE_SIZE_MAX}`,
      }),
    ),
  },
  { additionalProperties: false },
);

/** An exception arrives as any JSON: policy/exceptions/exception-input.ts judges it, and names the member at fault. */
export const ExceptionInput = Type.Record(Type.String(), Type.Unknown(), { description: 'an object' });

export const ImportBody = Type.Object(
  {
    entries: Type.Array(ExceptionInput, {
      minItems: 1,
      maxItems: EXCEPTIONS_PER_CALL_MAX,
      description: `a list of 1 to ${EXCEPTIONS_PER_CALL_MAX} objects`,
    }),
    replace: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);

export const Imported = Type.Object({ added: Type.Integer(), replaced: Type.Integer() });

const LimitOverride = Type.Object({
  name: Type.String(),
  limit: Type.Optional(Type.Integer()),
  burst: Type.Optional(Type.Integer()),
  mode: Type.Optional(Type.String()),
});

export const Exception = Type.Object({
  id: Type.String(),
  kind: Type.String(),
  match: Type.String(),
  limits: Type.Optional(Type.Array(LimitOverride)),
  reason: Type.String(),
  author: Type.String(),
  version: Type.Integer({ description: 'of its last change, for If-Match' }),
  createdAt: Type.String(),
  updatedAt: Type.String(),
  expiresAt: Type.Union([Type.String(), Type.Null()]),
});

export const ExceptionList = Type.Object({
  items: Type.Array(Exception),
  next: Type.Union([Type.String(), Type.Null()]),
});

export function exceptionJson(exception: RuleException): Static<typeof Exception> {
  const { id, kind, match, limits, reason, author, version } = exception;
  const { createdAtMs, updatedAtMs, expiresAtMs } = exception;
  return {
    id,
    kind,
    match,
    ...(limits !== null && { limits: limits.map((limit) => ({ ...limit })) }),
    reason,
    author,
    version,
    createdAt: iso(createdAtMs),
    updatedAt: iso(updatedAtMs),
    expiresAt: expiresAtMs === null ? null : iso(expiresAtMs),
  };
}
