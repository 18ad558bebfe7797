import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backOffMs } from '../../../src/stores/sql/back-off.ts';

test('the first attempt comes at once, the others ever later, up to 5 s, and spread over a half of it', () => {
  assert.deepEqual(
    [0, 1, 2, 3, 7, 50].map((attempt) => backOffMs(attempt, 0)),
    [0, 100, 200, 400, 5000, 5000],
  );
  assert.equal(backOffMs(50, 0.5), 3750);
  assert.ok(backOffMs(50, 0.999) > 2500);
});
