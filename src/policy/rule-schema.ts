import { type Static, Type } from 'typebox';
import { LEASE_TTL_MS_MAX, LEASE_TTL_MS_MIN, LIMIT_MAX, WINDOW_MS_MAX } from '../limiter/limit.ts';
import { NAME_PATTERN, NAME_WORDS } from './names.ts';
import {
  ALGORITHM_WORDS,
  KIND_WORDS,
  MODE_WORDS,
  PERIOD_WORDS,
  STORE_FAILURE_WORDS,
  WEEKDAY_WORDS,
} from './rule-words.ts';

/** Limits and quotas together. */
export const LIMITS_PER_RULE_MAX = 16;

const name = Type.Optional(
  Type.String({
    pattern: NAME_PATTERN,
    description: NAME_WORDS,
  }),
);

const mode = Type.Optional(Type.Enum(MODE_WORDS, { description: `one of ${MODE_WORDS.join(', ')}` }));

const limit = Type.Integer({
  minimum: 0,
  maximum: LIMIT_MAX,
  description: `an integer from 0 to ${LIMIT_MAX}`,
});

/** The JSON of one limit. Descriptions complete the sentence "MEMBER must be …". */
export const limitJson = Type.Object(
  {
    name,
    algorithm: Type.Enum(ALGORITHM_WORDS, { description: `one of ${ALGORITHM_WORDS.join(', ')}` }),
    limit,
    windowMs: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: WINDOW_MS_MAX,
        description: `an integer from 1 to ${WINDOW_MS_MAX} (366 days)`,
      }),
    ),
    ttlMs: Type.Optional(
      Type.Integer({
        minimum: LEASE_TTL_MS_MIN,
        maximum: LEASE_TTL_MS_MAX,
        description: `an integer from ${LEASE_TTL_MS_MIN} to ${LEASE_TTL_MS_MAX} (a day)`,
      }),
    ),
    burst: Type.Optional(
      Type.Integer({ minimum: 1, maximum: LIMIT_MAX, description: `an integer from 1 to ${LIMIT_MAX}` }),
    ),
    mode,
  },
  {
    additionalProperties: false,
    description: 'an object with algorithm, limit and windowMs (for concurrency: ttlMs)',
  },
);

/** When a quota's period begins; quota-input.ts says which member goes with which period. */
const anchorJson = Type.Object(
  {
    minute: Type.Optional(Type.Integer({ minimum: 0, maximum: 59, description: 'an integer from 0 to 59' })),
    time: Type.Optional(
      Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', description: 'a time of day, as "02:30"' }),
    ),
    weekday: Type.Optional(Type.Enum(WEEKDAY_WORDS, { description: `one of ${WEEKDAY_WORDS.join(', ')}` })),
    day: Type.Optional(Type.Integer({ minimum: 1, maximum: 31, description: 'an integer from 1 to 31' })),
    month: Type.Optional(Type.Integer({ minimum: 1, maximum: 12, description: 'an integer from 1 to 12' })),
  },
  { additionalProperties: false, description: 'an object with minute, time, weekday, day or month' },
);

export const quotaJson = Type.Object(
  {
    name,
    limit,
    period: Type.Enum(PERIOD_WORDS, { description: `one of ${PERIOD_WORDS.join(', ')}` }),
    timeZone: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: 'the name of a time zone, as "Europe/Paris"' }),
    ),
    anchor: Type.Optional(anchorJson),
    mode,
  },
  { additionalProperties: false, description: 'an object with limit and period' },
);

/** The JSON of a rule, as the API takes it and as it is stored. `parseRule` checks what a schema can't say. */
export const ruleJson = Type.Object(
  {
    kind: Type.Optional(Type.Enum(KIND_WORDS, { description: `one of ${KIND_WORDS.join(', ')}` })),
    ipv6Prefix: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 128, description: 'an integer from 1 to 128' }),
    ),
    identifyBy: Type.Optional(
      Type.String({ maxLength: 256, description: 'one of address, header:NAME, path, key' }),
    ),
    onStoreFailure: Type.Optional(
      Type.Enum(STORE_FAILURE_WORDS, { description: `one of ${STORE_FAILURE_WORDS.join(', ')}` }),
    ),
    mode,
    limits: Type.Optional(
      Type.Array(limitJson, {
        maxItems: LIMITS_PER_RULE_MAX,
        description: `a list of at most ${LIMITS_PER_RULE_MAX} limits`,
      }),
    ),
    quotas: Type.Optional(
      Type.Array(quotaJson, {
        maxItems: LIMITS_PER_RULE_MAX,
        description: `a list of at most ${LIMITS_PER_RULE_MAX} quotas`,
      }),
    ),
  },
  { additionalProperties: false, description: 'an object with limits or quotas' },
);

export type RuleJson = Static<typeof ruleJson>;
export type LimitJson = Static<typeof limitJson>;
export type QuotaJson = Static<typeof quotaJson>;
export type AnchorJson = Static<typeof anchorJson>;
export type ModeJson = (typeof MODE_WORDS)[number];
