import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { itemOf } from '../../../src/policy/rules/change-items.ts';
import { changeSummary } from '../../../src/policy/rules/change-summary.ts';
import type {
  ExceptionRules,
  NamespaceRules,
  ProjectRules,
} from '../../../src/policy/rules/project-rules.ts';
import { type RulesWrite, rulesDifference } from '../../../src/policy/rules/rules-difference.ts';
import { readRulesFile } from '../../../src/policy/rules/rules-file.ts';
import { parseRules } from '../../../src/policy/rules/rules-input.ts';
import { loginWith } from './faults-of.ts';
import { randomRules } from './random-rules.ts';

const NOW_MS = Date.UTC(2029, 0, 1);

function difference(before: string, after: string, prune = false): string[] {
  const writes = rulesDifference(readRulesFile(before).rules, readRulesFile(after).rules, {
    prune,
    nowMs: NOW_MS,
  });
  return writes.map(text);
}

function text({ namespace, exception, before, after }: RulesWrite): string {
  const sign = before === null ? '+' : after === null ? '-' : '~';
  return `${sign} ${exception === null ? namespace : `${exception.kind} ${exception.match} in ${namespace}`}`;
}

const NOTHING = 'namespaces: {}';
const BLOCKED = loginWith('blocks: [{ match: a }, { match: b }]');

describe('what has to be written', () => {
  const cases: readonly [string, string, string, boolean, string[]][] = [
    [
      'a namespace that is new, before its exceptions',
      NOTHING,
      BLOCKED,
      false,
      ['+ login', '+ block a in login', '+ block b in login'],
    ],
    ['nothing for what is not in the file', BLOCKED, NOTHING, false, []],
    [
      'with prune a namespace that is not in the file, after its exceptions',
      BLOCKED,
      NOTHING,
      true,
      ['- block a in login', '- block b in login', '- login'],
    ],
    ['nothing for a section that the file does not have, also with prune', BLOCKED, loginWith(), true, []],
    [
      'with prune what a section of the file does not have',
      BLOCKED,
      loginWith('blocks: [{ match: b }]'),
      true,
      ['- block a in login'],
    ],
    ['without prune it stays', BLOCKED, loginWith('blocks: []'), false, []],
    [
      'an entry that says something else',
      BLOCKED,
      loginWith('blocks: [{ match: a, reason: x }]'),
      false,
      ['~ block a in login'],
    ],
    [
      'nothing for the same said otherwise',
      loginWith('overrides: [{ match: a, limits: [{ limit: 1 }] }]'),
      loginWith(
        'overrides: [{ match: a, limits: [{ limit: 1, name: default }], reason: "" }]',
        'mode: enforce',
      ),
      true,
      [],
    ],
    [
      'an entry that has expired is no entry: a new one comes',
      loginWith('blocks: [{ match: a, until: 2028-01-01T00:00:00Z }]'),
      loginWith('blocks: [{ match: a }]'),
      true,
      ['+ block a in login'],
    ],
    [
      'nor is one of the file',
      NOTHING,
      loginWith('blocks: [{ match: a, until: 2028-01-01T00:00:00Z }]'),
      true,
      ['+ login'],
    ],
    [
      'nor is one in force when the file has it expired: with prune it goes',
      BLOCKED,
      loginWith('blocks: [{ match: a, until: 2028-01-01T00:00:00Z }, { match: b }]'),
      true,
      ['- block a in login'],
    ],
  ];
  for (const [name, before, after, prune, expected] of cases) {
    test(name, () => assert.deepEqual(difference(before, after, prune), expected));
  }
});

test('with prune, carrying out the writes in their order gives what is wanted, and undoing them from the end what was', () => {
  fc.assert(
    fc.property(randomRules, randomRules, (first, second) => {
      const before = withAllSections(parseRules(first).rules);
      const after = withAllSections(parseRules(second).rules);
      const writes = rulesDifference(before, after, { prune: true, nowMs: NOW_MS });
      const state = mutableOf(before);
      for (const write of writes) carryOut(state, write);
      assert.deepEqual(state, mutableOf(after));
      for (const { namespace, exception, before: was, after: is } of [...writes].reverse()) {
        carryOut(state, { namespace, exception, before: is, after: was } as RulesWrite);
      }
      assert.deepEqual(state, mutableOf(before));
    }),
    { numRuns: 200 },
  );
});

test('a change has one line, in which everything is counted', () => {
  const writes = rulesDifference(
    readRulesFile(`${BLOCKED}  old: { quotas: [{ limit: 1, period: day }] }\n`).rules,
    readRulesFile(
      loginWith(
        'blocks: [{ match: b, reason: x }]',
        'mode: shadow',
        'exemptions: [{ match: c }, { match: d }]',
      ),
    ).rules,
    { prune: true, nowMs: NOW_MS },
  );
  const items = writes.map((write) => itemOf(write));
  assert.equal(
    changeSummary(items),
    '1 namespace changed, 1 namespace removed, 1 block changed, 1 block removed, 2 exemptions created',
  );
  assert.equal(changeSummary([]), 'nothing changed');
});

type State = Map<string, { rule: unknown; entries: Map<string, ExceptionRules> }>;

function mutableOf({ namespaces }: ProjectRules): State {
  const entriesOf = ({ exceptions }: NamespaceRules) =>
    Object.entries(exceptions).flatMap(([kind, list]) =>
      list.map((entry) => [`${kind} ${entry.match}`, entry] as const),
    );
  return new Map(
    [...namespaces]
      .sort()
      .map(([name, rules]) => [
        name,
        { rule: sorted(rules.rule.json), entries: new Map(entriesOf(rules).sort()) },
      ]),
  );
}

function carryOut(state: State, { namespace, exception, after }: RulesWrite): void {
  const there = state.get(namespace);
  if (exception === null) {
    if (after === null) {
      assert.equal(there?.entries.size, 0, 'a namespace goes after its exceptions');
      state.delete(namespace);
    } else {
      state.set(namespace, { rule: sorted(after.json), entries: there?.entries ?? new Map() });
    }
  } else {
    assert.ok(there !== undefined, 'an exception comes after its namespace');
    const key = `${exception.kind} ${exception.match}`;
    if (after === null) there.entries.delete(key);
    else there.entries.set(key, after);
    state.set(namespace, { ...there, entries: new Map([...there.entries].sort()) });
  }
  const inOrder = [...state].sort();
  state.clear();
  for (const [name, value] of inOrder) state.set(name, value);
}

function withAllSections({ namespaces }: ProjectRules): ProjectRules {
  const none = { block: [], exemption: [], override: [] };
  return {
    namespaces: new Map(
      [...namespaces].map(([name, { rule, exceptions }]) => [
        name,
        { rule, exceptions: { ...none, ...exceptions } },
      ]),
    ),
  };
}

function sorted(value: object): unknown {
  return JSON.parse(JSON.stringify(value));
}
