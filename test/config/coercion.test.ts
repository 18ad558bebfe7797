import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { propertyOf } from '../../src/config/config.ts';
import { optionOf, VARIABLES } from '../../src/config/options.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { faultsOf, load } from './faults-of.ts';

const defaults = load({});
/** Durations are numbers too, and are written with their unit; a rate may also be off. */
const NUMBERS = VARIABLES.filter((variable) =>
  /^a whole number .*\d$/.test(optionOf(variable).kind.expected),
);
const BOOLEANS = VARIABLES.filter((variable) => typeof defaults[propertyOf(variable)] === 'boolean');

test('B19: the numbers and booleans of the contract are found', () => {
  assert.equal(NUMBERS.length, 28);
  assert.deepEqual(BOOLEANS, [
    'BRUME_MANAGEMENT_INSECURE',
    'BRUME_HEADERS_X_RATELIMIT',
    'BRUME_HEADERS_RATELIMIT',
    'BRUME_HEADERS_RETRY_AFTER',
    'BRUME_LOG_IDENTIFIERS',
    'BRUME_METRICS_CHRONOSDB_NAMES',
    'BRUME_TOP_IDENTIFIERS',
  ]);
});

describe('B19: a number that is blank or not plain digits is refused by name', () => {
  const texts = [
    '',
    ' ',
    '\t',
    '10s',
    '1e3',
    '-1',
    '+1',
    '1.0',
    '1_000',
    '0x10',
    '007',
    ' 50',
    'NaN',
    'Infinity',
    'true',
  ];
  for (const variable of NUMBERS) {
    test(variable, () => {
      for (const text of texts) {
        const faults = faultsOf({ [variable]: text });
        assert.deepEqual(
          faults.map((fault) => fault.variable),
          [variable],
          JSON.stringify(text),
        );
      }
    });
  }
});

describe('B19: a number out of its bounds is refused, and its bounds are taken', () => {
  for (const variable of NUMBERS) {
    test(variable, () => {
      const [, minimum = '', maximum = ''] =
        /from (\d+) to (\d+)$/.exec(optionOf(variable).kind.expected) ?? [];
      for (const text of [minimum, maximum]) {
        // A header time-out must not exceed that of the request, which a bound may undercut.
        const faults = faultsOf({ BRUME_REQUEST_TIMEOUT_MS: '600000', [variable]: text });
        assert.ok(
          faults.every(({ problem }) => problem.includes('BRUME_REQUEST_TIMEOUT_MS')),
          text,
        );
      }
      for (const text of [`${Number(maximum) + 1}`, '99999999999999999999999']) {
        assert.match(faultsOf({ [variable]: text })[0]?.problem ?? '', /out of range/);
      }
      if (minimum !== '0') assert.match(faultsOf({ [variable]: '0' })[0]?.problem ?? '', /out of range/);
    });
  }
});

describe('B19: a boolean is true or false, or is refused by name', () => {
  for (const variable of BOOLEANS) {
    test(variable, () => {
      assert.equal(load({ [variable]: 'true' })[propertyOf(variable)], true);
      assert.equal(load({ [variable]: 'false' })[propertyOf(variable)], false);
      for (const text of ['TRUE', '1', '0', 'no', 'yes', 'False', '', ' ', 'on', 'null']) {
        const faults = faultsOf({ [variable]: text });
        assert.deepEqual(
          faults.map((fault) => fault.variable),
          [variable],
          JSON.stringify(text),
        );
      }
    });
  }
});

test('B19: the same holds for the file, and every fault is listed', (t) => {
  const file = join(temporaryDirectory(t), 'brume.conf');
  const lines = [...NUMBERS, ...BOOLEANS].map(
    (variable, index) => `${variable}=${['', '""', '1e3', '10s'][index % 4]}`,
  );
  writeFileSync(file, lines.join('\n'));
  const variables = faultsOf({}, { file }).map((fault) => fault.variable);
  assert.deepEqual(variables.sort(), [...NUMBERS, ...BOOLEANS].sort());
});

test('B19: the port of a listener is never blank or 0 by accident', () => {
  for (const text of [
    '',
    ' ',
    '127.0.0.1',
    '127.0.0.1:',
    ':8600',
    '8600',
    '127.0.0.1:1e3',
    '127.0.0.1:-1',
    '127.0.0.1:65536',
  ]) {
    assert.deepEqual(
      faultsOf({ BRUME_LISTEN: text }).map((fault) => fault.variable),
      ['BRUME_LISTEN'],
      text,
    );
  }
});

test('B19: an empty value is answered with what to do', () => {
  const [fault] = faultsOf({ BRUME_REDIS_TIMEOUT_MS: '' });
  assert.equal(fault?.problem, 'the value is empty');
  assert.equal(fault?.remedy, 'Unset the variable to use the default (default: 50)');
});
