import { type Static, Type } from '@fastify/type-provider-typebox';
import { NAME_PATTERN, NAME_WORDS } from '../../policy/names.ts';
import type { Namespace as StoredNamespace } from '../../policy/namespace.ts';
import { ruleToJson } from '../../policy/rule-input.ts';
import { ruleJson } from '../../policy/rule-schema.ts';
import { KEY_KINDS, SCOPES } from '../../tenancy/api-key.ts';
import type { Project as StoredProject } from '../../tenancy/project.ts';
import type { ManagedKey } from '../../tenancy/tenancy-store.ts';

/** The resources as the management API shows them, and their making out of the stored ones. */

export const Name = Type.String({ pattern: NAME_PATTERN, description: NAME_WORDS });
const Time = Type.String({ description: 'ISO 8601, UTC' });
const NullableTime = Type.Union([Time, Type.Null()]);
const oneOf = <T extends string>(values: readonly T[]) =>
  Type.Unsafe<T>({ type: 'string', enum: [...values] });

/** Params are not constrained further: what can't be a name is found nowhere and answered with 404. */
export const ProjectParams = Type.Object({ project: Type.String() });
export const KeyParams = Type.Object({ project: Type.String(), key: Type.String() });
export const NamespaceParams = Type.Object({ project: Type.String(), namespace: Type.String() });

export const Project = Type.Object({
  id: Type.String(),
  name: Type.String(),
  organisationId: Type.String(),
  tierId: Type.Union([Type.String(), Type.Null()]),
  version: Type.Integer(),
  createdAt: Time,
  updatedAt: Time,
});

export const KeyKind = oneOf(KEY_KINDS);
export const Scope = oneOf(SCOPES);

export const ApiKey = Type.Object({
  id: Type.String(),
  name: Type.String(),
  kind: KeyKind,
  scopes: Type.Array(Scope),
  prefix: Type.String(),
  createdAt: Time,
  expiresAt: NullableTime,
  revokedAt: NullableTime,
  lastUsedAt: NullableTime,
  replaces: Type.Union([Type.String({ description: 'the id of a key' }), Type.Null()]),
});

export const CreatedApiKey = Type.Object({
  ...ApiKey.properties,
  key: Type.String({ description: 'The secret; shown this once' }),
});

export const Namespace = Type.Object({
  id: Type.String(),
  name: Type.String(),
  rule: ruleJson,
  version: Type.Integer(),
  createdAt: Time,
  updatedAt: Time,
});

export function projectJson(project: StoredProject): Static<typeof Project> {
  const { createdAtMs, updatedAtMs, ...same } = project;
  return { ...same, createdAt: iso(createdAtMs), updatedAt: iso(updatedAtMs) };
}

export function keyJson(key: ManagedKey): Static<typeof ApiKey> {
  const { id, name, kind, scopes, prefix, createdAtMs, expiresAtMs, revokedAtMs, lastUsedAtMs, replaces } =
    key;
  return {
    id,
    name,
    kind,
    scopes: [...scopes],
    prefix,
    createdAt: iso(createdAtMs),
    expiresAt: expiresAtMs === null ? null : iso(expiresAtMs),
    revokedAt: revokedAtMs === null ? null : iso(revokedAtMs),
    lastUsedAt: lastUsedAtMs === null ? null : iso(lastUsedAtMs),
    replaces,
  };
}

export function namespaceJson(namespace: StoredNamespace): Static<typeof Namespace> {
  const { id, name, rule, version, createdAtMs, updatedAtMs } = namespace;
  return {
    id,
    name,
    rule: ruleToJson(rule),
    version,
    createdAt: iso(createdAtMs),
    updatedAt: iso(updatedAtMs),
  };
}

export function iso(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
