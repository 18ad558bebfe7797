import { projectRulesJson } from './rules-schema.ts';

/** What the members are, for those who look at them in an editor. */
const TITLES: Readonly<Record<string, string>> = {
  project: 'The name of the project that the file is about',
  namespaces: 'The namespaces of the project, by name',
  kind: 'What identifiers are: any text, or addresses',
  ipv6Prefix: 'How many bits of an IPv6 address count',
  identifyBy: 'How the forward-auth calls find the identifier',
  onStoreFailure: 'What holds while the counters do not answer',
  mode: 'Whether it denies, is on trial, or is off',
  limits: 'How much passes in how much time',
  quotas: 'How much passes in a period of the calendar',
  blocks: 'Who is always denied',
  exemptions: 'Who always passes',
  overrides: 'Whose limits are other ones than the rule says',
  name: 'The name to which what was used belongs',
  algorithm: 'How it is counted',
  limit: 'How much passes',
  window: 'In how much time, as a duration',
  windowMs: 'In how much time, in milliseconds',
  ttl: 'How long a lease is held, as a duration',
  ttlMs: 'How long a lease is held, in milliseconds',
  burst: 'The most that passes at once',
  period: 'What a quota is for',
  timeZone: 'Whose calendar it is',
  anchor: 'When the period begins',
  minute: 'The minute at which an hour begins',
  time: 'The time of day at which the period begins',
  weekday: 'The day on which a week begins',
  day: 'The day on which a month or a year begins',
  month: 'The month in which a year begins',
  match: 'Whom it is for',
  until: 'When it ends',
  expiresAt: 'When it ends',
  reason: 'Why, for those who come after you',
};

/** The JSON Schema of a file of rules; docs/rules.schema.json. */
export function rulesJsonSchema(): Readonly<Record<string, unknown>> {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Rules of a Brume project',
    ...titled(JSON.parse(JSON.stringify(projectRulesJson))),
  };
}

type Json = Record<string, unknown>;

/** With a title for each member, and without what is only for our own messages. */
function titled({ namesWords: _, isLong: __, ...schema }: Json): Json {
  const result: Json = { ...schema };
  if (isObject(schema.properties)) {
    result.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([name, member]) => [
        name,
        isObject(member) ? { title: TITLES[name] ?? name, ...titled(member) } : member,
      ]),
    );
  }
  if (isObject(schema.patternProperties)) {
    result.patternProperties = Object.fromEntries(
      Object.entries(schema.patternProperties).map(([name, member]) => [
        name,
        isObject(member) ? titled(member) : member,
      ]),
    );
  }
  if (isObject(schema.items)) result.items = titled(schema.items);
  return result;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
