import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { Check } from 'typebox/schema';
import { rulesJsonSchema } from '../../../src/policy/rules/json-schema.ts';
import { parseRules } from '../../../src/policy/rules/rules-input.ts';
import { randomRules } from './random-rules.ts';

const schema = JSON.parse(
  readFileSync(new URL('../../../docs/rules.schema.json', import.meta.url), 'utf8'),
) as Record<string, unknown>;

/** What is said beyond the schema: bounds between members, names of other places, calendars, addresses. */
const BEYOND_SCHEMA =
  /must be a duration from|is that of entry|is one pattern too many|must be that of a limit|is required[ ,]|is not for|must have|must not|must be unique|is too large|must be the name of a time zone|in this namespace|has bits set|can't (name|be)|must name|backslash|must be an ISO|must together|must be at most|must be one of address|must not be|valid Unicode|must be a CIDR|must be an address/;

test('the published schema is that of the source', () => {
  assert.deepEqual(schema, JSON.parse(JSON.stringify(rulesJsonSchema())));
  assert.equal(schema.$schema, 'https://json-schema.org/draft/2020-12/schema');
});

test('every member that a file can have has a title and a description', () => {
  const walk = (node: unknown, at: string): void => {
    if (typeof node !== 'object' || node === null) return;
    const { properties, patternProperties, items } = node as Record<string, unknown>;
    for (const [name, member] of Object.entries({ ...Object(properties), ...Object(patternProperties) })) {
      if (properties !== undefined && name in Object(properties)) {
        assert.ok(Object(member).title !== name, `${at}.${name} has no title`);
        assert.ok(typeof Object(member).description === 'string', `${at}.${name} has no description`);
      }
      walk(member, `${at}.${name}`);
    }
    walk(items, `${at}[]`);
  };
  walk(schema, '');
});

test('what the parser takes the schema takes', () => {
  fc.assert(
    fc.property(randomRules, (json) => {
      assert.deepEqual(parseRules(json).faults, []);
      assert.ok(Check(schema, json), JSON.stringify(json));
    }),
    { numRuns: 200 },
  );
});

const junk = fc.constantFrom<unknown>(
  null,
  true,
  0,
  -1,
  1.5,
  9007199254740992,
  '',
  'x',
  '1m',
  'no',
  [],
  {},
  [null],
  'a'.repeat(1100),
  '\u0007',
);

test('what a random mutation makes is refused by both or taken by both, as far as a schema can say', () => {
  let refused = 0;
  fc.assert(
    fc.property(randomRules, fc.nat(), fc.nat(2), junk, (json, where, how, value) => {
      const mutated = structuredClone(json);
      mutate(mutated, where, how, value);
      const { faults } = parseRules(mutated);
      const isTaken = Check(schema, mutated);
      if (faults.length === 0) assert.ok(isTaken, `only the schema refuses ${JSON.stringify(mutated)}`);
      if (isTaken && faults.length > 0) {
        for (const { text, path } of faults) {
          const isSpan = text === 'is required' && /^(window|ttl|name)$/.test(String(path.at(-1)));
          assert.ok(
            isSpan || BEYOND_SCHEMA.test(text),
            `${path.join('.')} ${text}: ${JSON.stringify(mutated)}`,
          );
        }
      }
      refused += isTaken ? 0 : 1;
    }),
    { numRuns: 3000 },
  );
  assert.ok(refused > 500, `the mutations were too tame: ${refused} refused`);
});

/** Replaces, removes or adds something at one of all places. */
function mutate(root: Record<string, unknown>, where: number, how: number, value: unknown): void {
  const places: [object, string][] = [];
  const collect = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    for (const [name, member] of Object.entries(node)) {
      places.push([node, name]);
      collect(member);
    }
  };
  collect(root);
  const [parent, name] = places[where % places.length] ?? [root, 'namespaces'];
  if (how === 0) Reflect.set(parent, name, value);
  else if (how === 1 && !Array.isArray(parent)) Reflect.deleteProperty(parent, name);
  else if (how === 2 && !Array.isArray(parent)) Reflect.set(parent, `${name}x`, Reflect.get(parent, name));
  else if (Array.isArray(parent)) parent.push(value);
}
