import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LoadReport } from './load.ts';
import { Tally, type Verdict } from './tally.ts';

const LIMITS = { few: 3, many: 3, quota: 3 };

/** What a tally makes of verdicts that follow each other; undefined is one that never came. */
function reportOf(...verdicts: (Verdict | undefined)[]): LoadReport {
  const tally = new Tally(LIMITS, 0);
  for (const verdict of verdicts) {
    const asked = tally.ask('stream', 'few', 'alice', 0);
    if (verdict === undefined) asked.failed('ECONNRESET');
    else asked.judged(verdict);
  }
  return tally.report();
}

/** What it finds wrong with them. */
function found(...verdicts: (Verdict | undefined)[]): readonly string[] {
  const { givenTwice, miscounts } = reportOf(...verdicts);
  return [...givenTwice.map(({ what }) => what), ...miscounts];
}

const admitted = (remaining: number): Verdict => ({ isAdmitted: true, remaining });
const denied: Verdict = { isAdmitted: false, remaining: 0 };

test('a limit that admits as many as it says is well, also where an answer was lost', () => {
  assert.deepEqual(found(admitted(2), admitted(1), admitted(0), denied, denied), []);
  assert.deepEqual(found(admitted(2), undefined, admitted(0), denied), []);
  assert.deepEqual(found(admitted(2)), []);
});

test('one that was reset, exceeded, or of which a part was lost is found', () => {
  assert.match(found(admitted(2), admitted(1), admitted(2)).join(), /admitted twice with 2 left/);
  assert.match(
    found(admitted(3), admitted(2), admitted(1), admitted(0)).join(),
    /4 admitted, and the limit is 3/,
  );
  assert.match(found(admitted(2), admitted(0), denied).join(), /2 of 3 admitted, and the limit is 3/);
  assert.match(found(admitted(2), denied, admitted(1)).join(), /1 admitted after a denial/);
});

test('answers that overtake each other are no fault', () => {
  const tally = new Tally(LIMITS, 0);
  const [first, second, third, fourth] = [0, 1, 2, 3].map(() => tally.ask('stream', 'few', 'alice', 0));
  fourth?.judged(denied);
  third?.judged(admitted(0));
  second?.judged(admitted(1));
  first?.judged(admitted(2));
  assert.deepEqual(tally.report().miscounts, []);
});

test('places that are given a second time are told apart from what no lost count explains, with when they were given', () => {
  const { givenTwice, miscounts } = reportOf(admitted(2), admitted(1), admitted(0), denied, admitted(0));
  assert.deepEqual(
    givenTwice.map(({ what }) => what),
    ['few alice: admitted twice with 0 left'],
  );
  assert.ok(givenTwice.every(({ firstMs }) => firstMs > 0 && firstMs <= performance.now()));
  assert.deepEqual(miscounts, []);
});
