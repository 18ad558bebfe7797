import type { NewException } from '../../../src/policy/exceptions/rule-exception.ts';
import type { Rule } from '../../../src/policy/namespace.ts';
import { parseRule } from '../../../src/policy/rule-input.ts';
import type {
  ExceptionRules,
  NamespaceRules,
  ProjectRules,
} from '../../../src/policy/rules/project-rules.ts';
import type { Actor } from '../../../src/tenancy/actor.ts';
import { newApiKeySecret } from '../../../src/tenancy/api-key-secret.ts';

export const AUTHOR = 'local:tester';

export const ACTOR: Actor = { name: AUTHOR, address: '198.51.100.7', requestId: 'test-request' };

export const BY = { actor: ACTOR };

export const OTHER: Actor = { name: 'local:other', address: null, requestId: null };

export const RULE = parseRule({ limits: [{ algorithm: 'fixed_window', limit: 10, windowMs: 60_000 }] });

export const MAX_RULE = parseRule({
  limits: [{ algorithm: 'gcra', limit: 9_007_199_254_740_991, windowMs: 1, burst: 2 ** 52 }],
});

export const ruleOf = (limit: number) =>
  parseRule({ limits: [{ algorithm: 'fixed_window', limit, windowMs: 60_000 }] });

/** Text that a careless statement, index or JSON would change. */
export const ODD_MATCHES: readonly string[] = [
  `o'brien "the" \\ back\\\\slash`,
  'emoji 👩‍👩‍👧‍👦 and é vs é',
  '$1 ?1 :name %s --; drop table projects',
  '{"json": [1, null]}',
  '\\* is a star, * any run',
  'x'.repeat(512),
  '€'.repeat(170),
];

export function exceptionOf(match: string, more: Partial<NewException> = {}): NewException {
  return { kind: 'block', form: 'exact', match, limits: null, reason: '', expiresAtMs: null, ...more };
}

export function newKey(expiresAtMs: number | null = null) {
  const { prefix, sha256 } = newApiKeySecret('service');
  return { name: 'ci', kind: 'service', scopes: ['limit'], prefix, sha256, expiresAtMs } as const;
}

/** A project's file, of rules and of exceptions by kind. */
export function rulesOf(
  namespaces: Readonly<Record<string, NamespaceRules | { readonly rule: Rule }>>,
): ProjectRules {
  return {
    namespaces: new Map(
      Object.entries(namespaces).map(([name, rules]) => [name, { exceptions: {}, ...rules }]),
    ),
  };
}

export function exceptionRules(match: string, more: Partial<ExceptionRules> = {}): ExceptionRules {
  return { form: 'exact', match, limits: null, reason: '', expiresAtMs: null, ...more };
}
