import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseConfigFile } from '../../src/config/config-file.ts';
import { VARIABLES } from '../../src/config/options.ts';
import { faultsOf } from './faults-of.ts';

const path = join(import.meta.dirname, '../../packaging/brume.conf');

test('the shipped file changes nothing as it is', () => {
  assert.deepEqual(parseConfigFile(readFileSync(path, 'utf8'), path), { settings: [], faults: [] });
});

test('every setting of the shipped file is right once its # is taken away', () => {
  const content = readFileSync(path, 'utf8').replace(/^#(BRUME_)/gm, '$1');
  const { settings } = parseConfigFile(content, path);
  assert.deepEqual(settings.map(({ variable }) => variable).sort(), [...VARIABLES].sort());
  const env = Object.fromEntries(settings.map(({ variable, text }) => [variable, text]));
  // What is for Sentinels is a fault where there are none.
  env.BRUME_REDIS_URL = 'rediss+sentinel://sentinel.internal:26379/mymaster';
  assert.deepEqual(faultsOf(env), []);
});
