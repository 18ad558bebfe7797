import { type Static, Type } from 'typebox';
import { LIMIT_MAX } from '../../limiter/limit.ts';
import { NAME_PATTERN, NAME_WORDS } from '../names.ts';
import { LIMITS_PER_RULE_MAX } from '../rule-schema.ts';
import { MODE_WORDS } from '../rule-words.ts';
import { TIME_WORDS } from '../time-text.ts';
import { MATCH_CHARACTERS_MAX } from './match.ts';

const REASON_CHARACTERS_MAX = 500;

const match = Type.String({
  minLength: 1,
  maxLength: MATCH_CHARACTERS_MAX,
  description: 'an identifier, a pattern with *, or in a namespace of kind ip an address or a block of them',
});

const reason = Type.Optional(
  Type.String({
    maxLength: REASON_CHARACTERS_MAX,
    pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$',
    description: `a text of at most ${REASON_CHARACTERS_MAX} characters without control characters`,
  }),
);

const expiresAt = Type.Optional(
  Type.Union([Type.String(), Type.Null()], { description: `${TIME_WORDS}, or null for one without end` }),
);

/** What is said of one limit or quota. Descriptions complete the sentence "MEMBER must be …". */
const limitOverrideJson = Type.Object(
  {
    name: Type.Optional(Type.String({ pattern: NAME_PATTERN, description: NAME_WORDS })),
    limit: Type.Optional(
      Type.Integer({ minimum: 0, maximum: LIMIT_MAX, description: `an integer from 0 to ${LIMIT_MAX}` }),
    ),
    burst: Type.Optional(
      Type.Integer({ minimum: 1, maximum: LIMIT_MAX, description: `an integer from 1 to ${LIMIT_MAX}` }),
    ),
    mode: Type.Optional(Type.Enum(MODE_WORDS, { description: `one of ${MODE_WORDS.join(', ')}` })),
  },
  { additionalProperties: false, description: 'an object with limit, burst or mode' },
);

/** The JSON of a block or an exemption. `parseException` checks what a schema can't say. */
export const blockOrExemptionJson = Type.Object(
  { match, reason, expiresAt },
  { additionalProperties: false, description: 'an object with match' },
);

/** The JSON of an override. */
export const overrideJson = Type.Object(
  {
    match,
    limits: Type.Array(limitOverrideJson, {
      minItems: 1,
      maxItems: LIMITS_PER_RULE_MAX,
      description: `a list of 1 to ${LIMITS_PER_RULE_MAX} objects with limit, burst or mode`,
    }),
    reason,
    expiresAt,
  },
  { additionalProperties: false, description: 'an object with match and limits' },
);

/** The JSON of any of them, as far as it has been checked. */
export type ExceptionJson = Static<typeof blockOrExemptionJson> & Partial<Static<typeof overrideJson>>;
export type LimitOverrideJson = Static<typeof limitOverrideJson>;
