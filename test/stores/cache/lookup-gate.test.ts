import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LookupGate } from '../../../src/stores/cache/lookup-gate.ts';
import { brumeError } from '../../support/brume-error.ts';
import { ManualTime } from '../../support/manual-time.ts';

const unavailable = brumeError('store_unavailable');

describe('the gate of lookups', () => {
  it('lets so many in, and the next one when one leaves, the preferred first', async () => {
    const gate = new LookupGate({ insideMax: 2, waitingMax: 10, timers: new ManualTime() });
    const [leave] = await Promise.all([gate.enter(100, false), gate.enter(100, false)]);
    const order: string[] = [];
    const enter = async (name: string, isPreferred: boolean) => {
      const leaveAgain = await gate.enter(100, isPreferred);
      order.push(name);
      leaveAgain();
    };
    const waiting = [enter('first', false), enter('second', false), enter('preferred', true)];
    assert.deepEqual([gate.inside, gate.waiting, gate.isOpen], [2, 3, false]);
    leave?.();
    leave?.();
    await Promise.all(waiting);
    assert.deepEqual(order, ['preferred', 'first', 'second']);
    assert.deepEqual([gate.inside, gate.waiting, gate.isOpen], [1, 0, true]);
  });

  it('lets nobody wait for longer than the time given, and leaves no timer behind', async () => {
    const time = new ManualTime();
    const gate = new LookupGate({ insideMax: 1, waitingMax: 10, timers: time });
    const leave = await gate.enter(100, false);
    const late = assert.rejects(gate.enter(100, false), unavailable);
    await time.advance(100);
    await late;
    assert.deepEqual([gate.waiting, time.timerCount], [0, 0]);
    leave();
    assert.equal(gate.inside, 0);
  });

  it('refuses at once where too many wait already', async () => {
    const time = new ManualTime();
    const gate = new LookupGate({ insideMax: 1, waitingMax: 2, timers: time });
    await gate.enter(100, false);
    const waiting = [1, 2].map((_) => assert.rejects(gate.enter(100, false), unavailable));
    await assert.rejects(gate.enter(100, true), unavailable);
    await time.advance(100);
    await Promise.all(waiting);
  });
});
