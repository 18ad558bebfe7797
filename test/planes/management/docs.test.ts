import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parseRule, ruleToJson } from '../../../src/policy/rule-input.ts';

test('the rule that docs/management.md shows is one', () => {
  const page = readFileSync(new URL('../../../docs/management.md', import.meta.url), 'utf8');
  const [, example] = /## A rule\n```json\n([\s\S]*?)```/.exec(page) ?? [];
  const rule = parseRule(JSON.parse(example ?? ''));
  assert.deepEqual(parseRule(ruleToJson(rule)), rule);
  assert.equal(rule.limits.length, 2);
});
