import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TopIdentifiers } from '../../../src/telemetry/top/top-identifiers.ts';
import { ManualTime } from '../../support/manual-time.ts';

const PERIOD_MS = 600_000;

test('the busiest and the most denied of a namespace, the most frequent first', () => {
  const top = new TopIdentifiers({ clock: new ManualTime() });
  for (let n = 0; n < 5; n++) top.note('login', 'ann', n > 2);
  for (let n = 0; n < 9; n++) top.note('login', 'bob', false);
  top.note('other', 'cid', true);
  const found = top.top('login', 10);
  assert.equal(found?.sinceMs, 1_800_000_000_000);
  assert.equal(found?.checks, 14);
  assert.equal(found?.denials, 2);
  assert.deepEqual(found?.busiest, [
    { key: 'bob', count: 9, error: 0 },
    { key: 'ann', count: 5, error: 0 },
  ]);
  assert.deepEqual(found?.mostDenied, [{ key: 'ann', count: 2, error: 0 }]);
  assert.equal(top.top('login', 1)?.busiest.length, 1);
  assert.equal(top.top('unknown', 10), undefined);
});

test('the present period and the one before count together; what is older is forgotten', async () => {
  const time = new ManualTime();
  const top = new TopIdentifiers({ clock: time, periodMs: PERIOD_MS });
  top.note('login', 'ann', false);
  await time.advance(PERIOD_MS);
  top.note('login', 'ann', false);
  top.note('login', 'bob', false);
  assert.deepEqual(top.top('login', 10)?.busiest, [
    { key: 'ann', count: 2, error: 0 },
    { key: 'bob', count: 1, error: 0 },
  ]);
  await time.advance(PERIOD_MS);
  assert.equal(top.top('login', 10)?.sinceMs, 1_800_000_000_000 + PERIOD_MS);
  assert.equal(top.top('login', 10)?.busiest[0]?.count, 1);
  await time.advance(PERIOD_MS);
  assert.deepEqual(top.top('login', 10)?.busiest, []);
});

test('identifiers of a namespace without checks are forgotten as others go on', async () => {
  const time = new ManualTime();
  const top = new TopIdentifiers({ clock: time, periodMs: PERIOD_MS });
  top.note('quiet', 'ann', false);
  await time.advance(3 * PERIOD_MS);
  top.note('busy', 'bob', false);
  assert.equal(top.top('quiet', 10), undefined);
});

test('at most 256 namespaces are watched: an idle one gives way, a busy one does not', async () => {
  const time = new ManualTime();
  const top = new TopIdentifiers({ clock: time });
  for (let n = 0; n < 20_000; n++) top.note(`ns${n}`, 'ann', false);
  assert.ok(top.top('ns0', 1));
  assert.ok(top.top('ns255', 1));
  assert.equal(top.top('ns256', 1), undefined);
  await time.advance(61_000);
  for (let n = 1; n < 256; n++) top.note(`ns${n}`, 'ann', false);
  top.note('newcomer', 'ann', false);
  assert.ok(top.top('newcomer', 1));
  assert.equal(top.top('ns0', 1), undefined, 'the one that was idle longest');
  assert.ok(top.top('ns1', 1));
});

test('what two periods count of one identifier is never off by more than the errors say', async () => {
  const time = new ManualTime();
  const top = new TopIdentifiers({ clock: time, placesMax: 4, periodMs: PERIOD_MS });
  const exact = new Map<string, number>();
  const note = (identifier: string) => {
    exact.set(identifier, (exact.get(identifier) ?? 0) + 1);
    top.note('login', identifier, false);
  };
  for (let n = 0; n < 100; n++) note(`user ${(n * n) % 11}`);
  await time.advance(PERIOD_MS);
  for (let n = 0; n < 100; n++) note(`user ${(n * n) % 7}`);
  for (const { key, count, error } of top.top('login', 64)?.busiest ?? []) {
    const truth = exact.get(key) ?? 0;
    assert.ok(count >= truth && count - error <= truth, `${key}: ${count} ± ${error}, really ${truth}`);
  }
});
