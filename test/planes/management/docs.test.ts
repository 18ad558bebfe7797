import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parseException } from '../../../src/policy/exceptions/exception-input.ts';
import { parseRule, ruleToJson } from '../../../src/policy/rule-input.ts';

test('the rule that docs/management.md shows is one', () => {
  const page = readFileSync(new URL('../../../docs/management.md', import.meta.url), 'utf8');
  const [, example] = /## A rule\n```json\n([\s\S]*?)```/.exec(page) ?? [];
  const rule = parseRule(JSON.parse(example ?? ''));
  assert.deepEqual(parseRule(ruleToJson(rule)), rule);
  assert.equal(rule.limits.length, 2);
});

test('the override that docs/management.md shows is one', () => {
  const page = readFileSync(new URL('../../../docs/management.md', import.meta.url), 'utf8');
  const [, example] = /## Blocks, exemptions and overrides\n```json\n([\s\S]*?)```/.exec(page) ?? [];
  const { match, limits, reason, expiresAt } = JSON.parse(example ?? '');
  const limit = { name: 'minute', algorithm: 'gcra', limit: 60, windowMs: 60_000 };
  const context = { kind: 'override', rule: parseRule({ limits: [limit] }) } as const;
  const { form } = parseException({ match, limits, reason, expiresAt }, context);
  assert.equal(form, 'pattern');
});
