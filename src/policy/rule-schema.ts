import { type Static, Type } from 'typebox';
import { FAILURE_POLICIES } from '../limiter/degradation.ts';
import { ALGORITHMS, LIMIT_MAX, WINDOW_MS_MAX } from '../limiter/limit.ts';
import { NAME_PATTERN, NAMESPACE_KINDS } from './namespace.ts';

const LIMITS_PER_RULE_MAX = 16;

/** The JSON of one limit. Descriptions complete the sentence "MEMBER must be …". */
const limitJson = Type.Object(
  {
    name: Type.Optional(
      Type.String({
        pattern: NAME_PATTERN,
        description: '1 to 64 characters of a-z, 0-9, ".", "_" and "-", the first one a letter or digit',
      }),
    ),
    algorithm: Type.Enum(ALGORITHMS, { description: `one of ${ALGORITHMS.join(', ')}` }),
    limit: Type.Integer({ minimum: 0, maximum: LIMIT_MAX, description: `an integer from 0 to ${LIMIT_MAX}` }),
    windowMs: Type.Integer({
      minimum: 1,
      maximum: WINDOW_MS_MAX,
      description: `an integer from 1 to ${WINDOW_MS_MAX} (366 days)`,
    }),
    burst: Type.Optional(
      Type.Integer({ minimum: 1, maximum: LIMIT_MAX, description: `an integer from 1 to ${LIMIT_MAX}` }),
    ),
  },
  { additionalProperties: false, description: 'an object with algorithm, limit and windowMs' },
);

/** The JSON of a rule, as the API takes it and as it is stored. `parseRule` checks what a schema can't say. */
export const ruleJson = Type.Object(
  {
    kind: Type.Optional(Type.Enum(NAMESPACE_KINDS, { description: `one of ${NAMESPACE_KINDS.join(', ')}` })),
    ipv6Prefix: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 128, description: 'an integer from 1 to 128' }),
    ),
    identifyBy: Type.Optional(
      Type.String({ maxLength: 256, description: 'one of address, header:NAME, path, key' }),
    ),
    onStoreFailure: Type.Optional(
      Type.Enum(FAILURE_POLICIES, { description: `one of ${FAILURE_POLICIES.join(', ')}` }),
    ),
    limits: Type.Array(limitJson, {
      minItems: 1,
      maxItems: LIMITS_PER_RULE_MAX,
      description: `a list of 1 to ${LIMITS_PER_RULE_MAX} limits`,
    }),
  },
  { additionalProperties: false, description: 'an object with a list of limits' },
);

export type RuleJson = Static<typeof ruleJson>;
export type LimitJson = Static<typeof limitJson>;
