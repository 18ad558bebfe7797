import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Tally, type Verdict } from './tally.ts';

const LIMITS = { few: 3, many: 3, quota: 3 };

/** What a tally finds wrong with verdicts that follow each other; undefined is one that never came. */
function found(...verdicts: (Verdict | undefined)[]): readonly string[] {
  const tally = new Tally(LIMITS, 0);
  for (const verdict of verdicts) {
    const asked = tally.ask('stream', 'few', 'alice', 0);
    if (verdict === undefined) asked.failed('ECONNRESET');
    else asked.judged(verdict);
  }
  return tally.report().miscounts;
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
    found(admitted(2), admitted(1), admitted(0), admitted(0)).join(),
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
