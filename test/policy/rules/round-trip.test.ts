import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parse } from 'yaml';
import { exportText } from '../../../src/policy/rules/export-text.ts';
import { rulesDifference } from '../../../src/policy/rules/rules-difference.ts';
import { readRulesFile } from '../../../src/policy/rules/rules-file.ts';
import { parseRules } from '../../../src/policy/rules/rules-input.ts';
import { exportingRules } from '../../../src/policy/rules/rules-json.ts';
import { result } from '../../../src/policy/rules/steps.ts';
import { loginWith } from './faults-of.ts';
import { randomRules } from './random-rules.ts';

const NOW_MS = Date.UTC(2029, 0, 1);
const SMALL = { limits: [{ name: 'e1', algorithm: 'fixed_window' as const, limit: 1, windowMs: 1 }] };
const PRUNE = { prune: true, nowMs: NOW_MS };

function exported(json: unknown) {
  const { rules, faults } = parseRules(json);
  assert.deepEqual(faults, []);
  const { rules: written, leftOut } = result(exportingRules('shop', rules, NOW_MS));
  return { rules, written, leftOut, text: exportText({ revision: 7, rules: written, leftOut }) };
}

test('applying an export changes nothing, whatever the rules, matches and reasons are', () => {
  fc.assert(
    fc.property(randomRules, (json) => {
      const { rules, text, leftOut } = exported(json);
      const again = readRulesFile(text);
      assert.deepEqual(rulesDifference(rules, again.rules, PRUNE), []);
      assert.deepEqual(rulesDifference(again.rules, rules, PRUNE), []);
      assert.deepEqual(leftOut, []);
      assert.equal(again.project, 'shop');
    }),
    { numRuns: 300 },
  );
});

test('an export of an export is the same text, in whatever order things were said', () => {
  fc.assert(
    fc.property(randomRules, (json) => {
      const { text, written } = exported(json);
      assert.equal(exported(written).text, text);
      const reversed = Object.fromEntries(Object.entries(json.namespaces ?? {}).reverse());
      assert.equal(exported({ ...json, namespaces: reversed }).text, text);
    }),
    { numRuns: 100 },
  );
});

test('readers of YAML 1.1 read the same of an export', () => {
  fc.assert(
    fc.property(randomRules, (json) => {
      const { text } = exported(json);
      const options = {
        schema: 'yaml-1.1',
        customTags: (tags: unknown[]) => tags.filter((tag) => !isTimestamp(tag)),
      } as const;
      assert.deepEqual(parse(text, options as object), parse(text));
    }),
    { numRuns: 200, examples: [[{ project: 'shop', namespaces: { e0: SMALL, 'e-0': SMALL } }]] },
  );
});

test('what has expired is not exported; what the rule has no place for is told', () => {
  const { rules } = readRulesFile(
    loginWith(
      'quotas: [{ limit: 3, period: day }]',
      'blocks: [{ match: old, until: 2028-01-01T00:00:00Z }, { match: new, until: 2030-01-01T00:00:00Z }, { match: "a*" }]',
      'overrides:',
      '  - { match: x, limits: [{ name: default, limit: 3 }, { name: day, limit: 9 }] }',
      '  - { match: y, limits: [{ name: day, limit: 9 }] }',
    ),
  );
  const { rules: changed } = readRulesFile(loginWith('kind: ip'));
  const [before, after] = [rules.namespaces.get('login'), changed.namespaces.get('login')];
  assert.ok(before !== undefined && after !== undefined);
  const mixed = { namespaces: new Map([['login', { rule: after.rule, exceptions: before.exceptions }]]) };
  const whole = result(exportingRules('shop', rules, NOW_MS));
  assert.deepEqual(
    whole.rules.namespaces.login?.blocks?.map(({ match }) => match),
    ['a*', 'new'],
  );
  const told = result(exportingRules('shop', mixed, NOW_MS));
  assert.deepEqual(
    told.leftOut.map(({ kind, match }) => `${kind} ${match}`),
    ['block a*', 'block new', 'override x', 'override y'],
  );
  assert.match(exportText({ revision: 1, ...told }), /^# Left out of login, .*: block of "a\*"/m);
});

function isTimestamp(tag: unknown): boolean {
  return typeof tag === 'object' && tag !== null && 'tag' in tag && tag.tag === 'tag:yaml.org,2002:timestamp';
}
