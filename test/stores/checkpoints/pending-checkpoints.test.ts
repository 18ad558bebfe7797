import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PendingCheckpoints } from '../../../src/stores/checkpoints/pending-checkpoints.ts';
import { checkpointOf } from '../../support/quota-checkpoints.ts';

function keysOf(pending: PendingCheckpoints): string[] {
  return pending.all().map(({ checkpoint }) => checkpoint.key);
}

describe('checkpoints that wait to be written', () => {
  it('are the latest of each quota, and no more than their maximum: those touched longest ago give way', () => {
    const pending = new PendingCheckpoints(3);
    for (const key of ['a', 'b', 'c', 'a', 'd', 'e']) pending.note(checkpointOf({ key }), 0);
    assert.deepEqual(keysOf(pending), ['a', 'd', 'e']);
    assert.equal(pending.isCrowded, true);
    assert.deepEqual([pending.takeDroppedCount(), pending.takeDroppedCount()], [2, 0]);
  });

  it('stay if they were noted again while they were written', () => {
    const pending = new PendingCheckpoints(3);
    pending.note(checkpointOf({ key: 'a' }), 0);
    pending.note(checkpointOf({ key: 'b' }), 0);
    const written = pending.all();
    pending.note(checkpointOf({ key: 'a', used: 2 }), 0);
    pending.drop(written);
    assert.deepEqual(keysOf(pending), ['a']);
  });

  it('keep the highest count that was lowered since, of the same period only', () => {
    const pending = new PendingCheckpoints(3);
    const higher = () => pending.all()[0]?.higher?.checkpoint.used;
    for (const used of [5, 7, 1, 2, 1]) pending.note(checkpointOf({ used }), 0);
    assert.equal(higher(), 7);
    pending.note(checkpointOf({ used: 8 }), 0);
    assert.equal(higher(), undefined);
    pending.note(checkpointOf({ used: 1 }), 0);
    pending.note(checkpointOf({ used: 1, startMs: 2000, endMs: 3000 }), 0);
    assert.equal(higher(), undefined);
  });
});
