import { type Static, Type } from 'typebox';
import { DURATION_PATTERN } from '../duration.ts';
import { blockOrExemptionJson, overrideJson } from '../exceptions/exception-schema.ts';
import { NAME_PATTERN, NAME_WORDS } from '../names.ts';
import { LIMITS_PER_RULE_MAX, limitJson, quotaJson, ruleJson } from '../rule-schema.ts';
import { TIME_WORDS } from '../time-text.ts';

/** Where a member can be said in either of two ways. */
const notBoth = (one: string, other: string) => ({ not: { required: [one, other] } });

const duration = Type.Optional(
  Type.String({ pattern: DURATION_PATTERN, description: 'a duration such as 500ms, 60s, 5m, 1h or 1d' }),
);

const fileLimit = Type.Object(
  { ...limitJson.properties, window: duration, ttl: duration },
  {
    additionalProperties: false,
    allOf: [notBoth('window', 'windowMs'), notBoth('ttl', 'ttlMs')],
    description: 'an object with algorithm, limit and window (for concurrency: ttl)',
  },
);

const time = Type.Optional(
  Type.String({
    pattern:
      '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{1,3})?(Z|[+-][0-9]{2}:[0-9]{2})$',
    description: TIME_WORDS,
  }),
);

const { match, reason } = blockOrExemptionJson.properties;
const exceptionMembers = { match, until: time, expiresAt: time, reason };

const plainException = Type.Object(exceptionMembers, {
  additionalProperties: false,
  ...notBoth('until', 'expiresAt'),
  description: 'an object with match, and perhaps until and reason',
});

const override = Type.Object(
  {
    ...exceptionMembers,
    limits: overrideJson.properties.limits,
  },
  {
    additionalProperties: false,
    ...notBoth('until', 'expiresAt'),
    description: 'an object with match and limits, and perhaps until and reason',
  },
);

/** `ruleJson` with windows as durations, and what is said of single identifiers. */
const namespaceRules = Type.Object(
  {
    ...ruleJson.properties,
    limits: Type.Optional(
      Type.Array(fileLimit, {
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
    blocks: Type.Optional(
      Type.Array(plainException, { isLong: true, description: 'a list of blocks; [] for none' }),
    ),
    exemptions: Type.Optional(
      Type.Array(plainException, { isLong: true, description: 'a list of exemptions; [] for none' }),
    ),
    overrides: Type.Optional(
      Type.Array(override, { isLong: true, description: 'a list of overrides; [] for none' }),
    ),
  },
  { additionalProperties: false, description: 'an object with limits or quotas' },
);

/** The JSON of a project's rules, as a YAML file has it; `parseRules` checks what a schema can't say. */
export const projectRulesJson = Type.Object(
  {
    project: Type.Optional(Type.String({ pattern: NAME_PATTERN, description: NAME_WORDS })),
    namespaces: Type.Record(Type.String({ pattern: NAME_PATTERN, description: NAME_WORDS }), namespaceRules, {
      additionalProperties: false,
      namesWords: NAME_WORDS,
      description: 'an object with a member for each namespace; {} for none',
    }),
  },
  { additionalProperties: false, description: 'an object with namespaces' },
);

export type ProjectRulesJson = Static<typeof projectRulesJson>;
export type NamespaceRulesJson = Static<typeof namespaceRules>;
export type FileLimitJson = Static<typeof fileLimit>;
export type FileExceptionJson = Static<typeof plainException> &
  Partial<Pick<Static<typeof override>, 'limits'>>;
