import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { Check } from 'typebox/schema';
import { rulesJsonSchema } from '../../../src/policy/rules/json-schema.ts';
import { RulesFileError, readRulesFile } from '../../../src/policy/rules/rules-file.ts';
import { parseYaml } from '../../../src/policy/rules/yaml-value.ts';

const page = readFileSync(new URL('../../../docs/rules-as-code.md', import.meta.url), 'utf8');
const files = [...page.matchAll(/```yaml\n# ([a-z]+\.yaml)\n(.*?)```/gs)];

describe('the files of docs/rules-as-code.md', () => {
  test('there are some', () => assert.ok(files.length >= 5));
  for (const [, name = '', text = ''] of files) {
    test(`${name} is taken by parser and schema, or refused by both`, () => {
      const isFaulty = name === 'faulty.yaml';
      assert.equal(Check(rulesJsonSchema(), parseYaml(text).value), !isFaulty);
      if (isFaulty) assert.throws(() => readRulesFile(text), RulesFileError);
      else assert.ok(readRulesFile(text));
    });
  }
});
