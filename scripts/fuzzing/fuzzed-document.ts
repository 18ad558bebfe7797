import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rulesJsonSchema } from '../../src/policy/rules/json-schema.ts';

const DOCS = join(import.meta.dirname, '../../docs');

type Json = { [name: string]: Json } & { [Symbol.iterator]?: never };

/**
 * A document of docs/ as schemathesis can work with it, reduced to the calls (`GET /v1/projects`) of
 * `isServed`. If it is deep, bodies that the routes take as any JSON, since the policy judges them, have a
 * schema: what is made up without one is nearly always refused at its first member.
 */
export function fuzzedDocument(
  name: string,
  { isServed, isDeep }: { readonly isServed: (call: string) => boolean; readonly isDeep: boolean },
): string {
  const document: Json = JSON.parse(readable(readFileSync(join(DOCS, name), 'utf8')));
  for (const [path, operations] of Object.entries(document.paths ?? {})) {
    for (const [method, operation] of Object.entries(operations)) {
      if (!isServed(`${method.toUpperCase()} ${path}`)) delete operations[method];
      else if (isDeep) describeBody(path, method, operation.requestBody?.content?.['application/json']);
    }
    if (Object.keys(operations).length === 0) delete document.paths?.[path];
  }
  return JSON.stringify(document);
}

/**
 * The document with its Unicode classes spelled out: schemathesis can't make strings from them. It makes
 * no lone surrogates (Cs) anyway, since they can't be sent.
 */
function readable(document: string): string {
  return document.replaceAll('\\\\p{Cc}', '\\\\x00-\\\\x1f\\\\x7f-\\\\x9f').replaceAll('\\\\p{Cs}', '');
}

function describeBody(path: string, method: string, body: Json | undefined): void {
  if (body === undefined) return;
  const members = body.schema?.properties;
  if (members?.rule !== undefined) members.rule = RULE;
  if (path.endsWith('/rules') && method === 'put') body.schema = RULES;
  const collection = /\/(blocks|exemptions|overrides)(\/|$)/.exec(path)?.[1];
  if (collection === undefined) return;
  const exception = exceptionSchema(collection === 'overrides', method);
  if (members?.entries !== undefined) members.entries.items = exception;
  else body.schema = exception;
}

function object(properties: object, required: readonly string[] = []): Json {
  return JSON.parse(JSON.stringify({ type: 'object', properties, required, additionalProperties: false }));
}

const number = (maximum: number) => ({ type: 'integer', minimum: 1, maximum });
const LIMIT_NAMES = { enum: ['minute', 'hour', 'day', 'default', 'places'] };
const MODE = { enum: ['enforce', 'shadow', 'off'] };

/** The limits that are whole, by their algorithms, and any that docs/rules.schema.json allows. */
const LIMIT = {
  anyOf: [
    object(
      {
        name: LIMIT_NAMES,
        algorithm: { enum: ['fixed_window', 'sliding_window', 'sliding_log'] },
        limit: number(1000),
        windowMs: number(86_400_000),
        mode: MODE,
      },
      ['name', 'algorithm', 'limit', 'windowMs'],
    ),
    object(
      {
        name: LIMIT_NAMES,
        algorithm: { enum: ['token_bucket', 'leaky_bucket', 'gcra'] },
        limit: number(1000),
        windowMs: number(86_400_000),
        burst: number(1000),
      },
      ['name', 'algorithm', 'limit', 'windowMs'],
    ),
    object(
      {
        name: LIMIT_NAMES,
        algorithm: { enum: ['concurrency'] },
        limit: number(100),
        ttlMs: { type: 'integer', minimum: 1000, maximum: 86_400_000 },
      },
      ['name', 'algorithm', 'limit', 'ttlMs'],
    ),
  ],
};

const WRITTEN_RULES: Json = JSON.parse(JSON.stringify(rulesJsonSchema()));
const NAME = '^[a-z0-9][a-z0-9._-]{0,63}$';
const WRITTEN_RULE = WRITTEN_RULES.properties?.namespaces?.patternProperties?.[NAME]?.properties;
const QUOTAS = { ...WRITTEN_RULE?.quotas, maxItems: 2 };
const RULE_MEMBERS = {
  kind: { enum: ['text', 'ip'] },
  ipv6Prefix: number(128),
  identifyBy: { enum: ['address', 'header:X-Name', 'path', 'key'] },
  onStoreFailure: { enum: ['open', 'closed', 'local'] },
  mode: MODE,
  limits: { type: 'array', items: LIMIT, minItems: 1, maxItems: 3 },
  quotas: QUOTAS,
};
const RULE: Json = JSON.parse(
  JSON.stringify({
    anyOf: [
      object(RULE_MEMBERS, ['limits']),
      { type: 'object', properties: WRITTEN_RULE, additionalProperties: false },
    ],
  }),
);

const RULES: Json = JSON.parse(
  JSON.stringify({
    anyOf: [
      object(
        {
          namespaces: {
            type: 'object',
            propertyNames: { pattern: NAME },
            additionalProperties: object(RULE_MEMBERS, ['limits']),
            maxProperties: 5,
          },
        },
        ['namespaces'],
      ),
      WRITTEN_RULES,
    ],
  }),
);

/** A PUT can't change whom it is for. */
function exceptionSchema(isOverride: boolean, method: string): Json {
  const members = {
    ...(method === 'post' && {
      match: {
        anyOf: [{ enum: ['alice', 'customer-*', '203.0.113.0/24'] }, { type: 'string', minLength: 1 }],
      },
    }),
    reason: { type: 'string', maxLength: 500 },
    expiresAt: { anyOf: [{ enum: ['2090-01-31T12:00:00Z', '2090-01-31T12:00:00+01:00'] }, { type: 'null' }] },
    ...(isOverride && { limits: { type: 'array', items: OVERRIDE, minItems: 1, maxItems: 2 } }),
  };
  const required = [...(method === 'post' ? ['match'] : []), ...(isOverride ? ['limits'] : [])];
  return object(members, required);
}

const OVERRIDE = object({
  name: LIMIT_NAMES,
  limit: { type: 'integer', minimum: 0, maximum: 10_000 },
  burst: number(1000),
  mode: MODE,
});
