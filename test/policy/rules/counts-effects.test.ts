import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { itemOf } from '../../../src/policy/rules/change-items.ts';
import { countsEffects } from '../../../src/policy/rules/counts-effects.ts';
import { memberChanges } from '../../../src/policy/rules/member-changes.ts';
import { rulesDifference } from '../../../src/policy/rules/rules-difference.ts';
import { readRulesFile } from '../../../src/policy/rules/rules-file.ts';

const RULE =
  'kind: text, limits: [{ name: a, algorithm: gcra, limit: 5, window: 1m, burst: 3 }, { name: b, algorithm: concurrency, limit: 2, ttl: 30s }], quotas: [{ limit: 9, period: day }]';

function itemsOf(before: string | undefined, after: string | undefined) {
  const rulesOf = (rule: string | undefined) =>
    readRulesFile(`namespaces: { ${rule === undefined ? '' : `x: { ${rule} }`} }`).rules;
  return rulesDifference(rulesOf(before), rulesOf(after), { prune: true, nowMs: 0 }).map((write) =>
    itemOf(write),
  );
}

/** `limit: effect` of each. */
function effectsOf(before: string | undefined, after: string | undefined): string[] {
  return countsEffects(itemsOf(before, after)).map(({ limit, effect }) => `${limit ?? 'all'}: ${effect}`);
}

const changed = (from: string, to: string) => effectsOf(RULE, RULE.replace(from, to));

describe('what a change means for counts in use', () => {
  test('a changed number keeps them', () => {
    assert.deepEqual(changed('limit: 5', 'limit: 50'), ['a: kept']);
    assert.deepEqual(changed('burst: 3', 'burst: 4'), ['a: kept']);
    assert.deepEqual(changed('limit: 9', 'limit: 8'), ['day: kept']);
    assert.deepEqual(changed('ttl: 30s', 'ttl: 60s'), ['b: kept'], 'leases stay leases');
  });
  test('a changed algorithm, window, period, zone or beginning starts afresh', () => {
    assert.deepEqual(changed('window: 1m', 'window: 2m'), ['a: afresh']);
    assert.deepEqual(changed('algorithm: gcra', 'algorithm: token_bucket'), ['a: afresh']);
    assert.deepEqual(changed('period: day', 'name: day, period: week'), ['day: afresh']);
    assert.deepEqual(changed('period: day', 'period: day, timeZone: Europe/Paris'), ['day: afresh']);
    assert.deepEqual(changed('period: day', 'period: day, anchor: { time: "02:00" }'), ['day: afresh']);
  });
  test('the default said in words changes nothing that is counted', () => {
    assert.deepEqual(changed('period: day', 'period: day, anchor: { time: "00:00" }'), ['day: kept']);
  });
  test('a limit that goes is forgotten, one that is renamed too, a new one begins at 0', () => {
    assert.deepEqual(changed('name: a', 'name: c'), ['a: forgotten', 'c: new']);
    assert.deepEqual(changed(', quotas: [{ limit: 9, period: day }]', ''), ['day: forgotten']);
  });
  test('a limit that is off is not counted, and begins at 0 when it is on again', () => {
    assert.deepEqual(changed('burst: 3', 'burst: 3, mode: off'), ['a: uncounted']);
    assert.deepEqual(effectsOf(RULE.replace('burst: 3', 'burst: 3, mode: off'), RULE), ['a: new']);
    assert.deepEqual(changed('burst: 3', 'burst: 3, mode: shadow'), ['a: kept']);
    assert.deepEqual(
      changed('kind: text', 'mode: off'),
      ['a: uncounted', 'day: uncounted', 'b: kept'].sort(
        (l, r) => 'abd'.indexOf(l[0] ?? '') - 'abd'.indexOf(r[0] ?? ''),
      ),
      'leases are counted on',
    );
  });
  test('other kinds, prefixes and ways to identify mean other names', () => {
    assert.deepEqual(changed('kind: text', 'kind: ip'), ['all: renamed']);
    assert.deepEqual(changed('kind: text', 'ipv6Prefix: 56'), ['all: renamed']);
    assert.deepEqual(changed('kind: text', 'identifyBy: key'), ['all: renamed']);
  });
  test('a namespace that goes is no longer counted, a new one begins at 0, one rolled back returns', () => {
    assert.deepEqual(effectsOf(RULE, undefined), ['all: uncounted']);
    assert.deepEqual(effectsOf(undefined, RULE), ['all: new']);
    assert.deepEqual(
      countsEffects(itemsOf(undefined, RULE), { isRollback: true }).map(({ effect }) => effect),
      ['kept'],
    );
  });
  test('a policy for failing stores has nothing to do with counts', () => {
    assert.deepEqual(changed('kind: text', 'onStoreFailure: closed'), []);
  });
});

describe('a change is told member by member', () => {
  const told = (before: string | undefined, after: string | undefined) =>
    itemsOf(before, after).flatMap((item) =>
      memberChanges(item).map(
        (change) => `${change.member}: ${change.before ?? '-'} > ${change.after ?? '-'}`,
      ),
    );
  test('with what held where nothing was said', () => {
    const after = RULE.replace('limit: 5, window: 1m, burst: 3', 'limit: 6, window: 2m').replace(
      'kind: text',
      'mode: shadow, ipv6Prefix: 56',
    );
    assert.deepEqual(told(RULE, after).sort(), [
      'ipv6Prefix: 64 > 56',
      'limits.a.burst: 3 > as limit',
      'limits.a.limit: 5 > 6',
      'limits.a.window: 1m > 2m',
      'mode: enforce > shadow',
    ]);
  });
  test('a limit that comes or goes is told whole', () => {
    assert.deepEqual(told(RULE, RULE.replace(/, \{ name: b.*?\}/, '')), [
      'limits.b.algorithm: concurrency > -',
      'limits.b.limit: 2 > -',
      'limits.b.ttl: 30s > -',
    ]);
  });
  test('of an exception its end, its reason and its limits', () => {
    const before = `${RULE}, overrides: [{ match: x, limits: [{ name: a, limit: 1 }] }]`;
    const after = `${RULE}, overrides: [{ match: x, limits: [{ name: a, limit: 2, burst: 9 }], until: 2030-01-01T00:00:00Z, reason: "a: b" }]`;
    assert.deepEqual(told(before, after), [
      'limits.a.limit: 1 > 2',
      'until: without end > 2030-01-01T00:00:00Z',
      'limits.a.burst: as limit > 9',
      'reason: - > "a: b"',
    ]);
  });
});
