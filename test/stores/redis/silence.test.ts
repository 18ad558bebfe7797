import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LinkFaults } from '../../../src/stores/redis/link-faults.ts';
import { Silence } from '../../../src/stores/redis/silence.ts';

const TIMEOUT_MS = 50;

function silence(unansweredCallsMax?: number) {
  const world = { nowMs: 10_000 };
  const options = { clock: { monotonicMs: () => world.nowMs }, timeoutMs: TIMEOUT_MS };
  return { world, of: new Silence({ ...options, ...(unansweredCallsMax && { unansweredCallsMax }) }) };
}

describe('a silence', () => {
  it('is three calls in a row without an answer', () => {
    const { world, of } = silence();
    const missed = [1, 2, 3].map(() => {
      world.nowMs += TIMEOUT_MS;
      return of.miss();
    });
    assert.deepEqual(missed, [false, false, true]);
  });

  it('is none where calls that were sent together are missed together, however long nobody called before', () => {
    const { world, of } = silence();
    world.nowMs += TIMEOUT_MS;
    for (let call = 0; call < 100; call++) assert.equal(of.miss(), false);
    world.nowMs += 2 * TIMEOUT_MS;
    assert.equal(of.miss(), true);
  });

  it('ends with an answer', () => {
    const { world, of } = silence();
    for (let call = 0; call < 10; call++) {
      world.nowMs += TIMEOUT_MS;
      assert.equal(of.miss(), false);
      if (call % 2 === 1) of.end();
    }
  });

  it('is one call for whoever calls seldom', () => {
    assert.equal(silence(1).of.miss(), true);
  });
});

describe('a fault of a connection', () => {
  it('is told with the server that it is of', () => {
    const servers: unknown[] = [];
    const warn = ({ server }: { readonly server?: string }) => void servers.push(server);
    const faults = new LinkFaults({ monotonicMs: () => 0 }, { warn });
    faults.missConnection(new Error('NOAUTH Authentication required'), 'one:6379');
    faults.meet('two:6379');
    faults.giveUp(new Error("READONLY You can't write against a read only replica."));
    assert.deepEqual(servers, ['one:6379', 'two:6379']);
  });
});

describe('a connection that takes too long', () => {
  const slow = new Error('connect ETIMEDOUT');

  function faults() {
    const lines: string[] = [];
    const warn = (_fields: object, message: string) => void lines.push(message);
    return { lines, of: new LinkFaults({ monotonicMs: () => 0 }, { warn }) };
  }

  it('is told when the next one does, too', () => {
    const { lines, of } = faults();
    of.missConnection(slow);
    assert.deepEqual([lines, of.why, of.counts().no_answer], [[], 'no_answer', 1]);
    of.missConnection(slow);
    assert.deepEqual(lines, ['Redis does not answer; connecting anew']);
    of.meet('127.0.0.1:1');
    of.missConnection(slow);
    assert.equal(lines.length, 1, 'it is the first again');
  });

  it('is told at once where it is refused', () => {
    const { lines, of } = faults();
    of.missConnection(new Error('connect ECONNREFUSED 127.0.0.1:1'));
    assert.deepEqual(lines, ['Redis can not be connected']);
  });

  it('is not told again where that is why the last one was given up', () => {
    const { lines, of } = faults();
    of.giveUp(new Error('Redis gave no answer in 50 ms'));
    of.missConnection(slow);
    assert.deepEqual(lines, ['Redis does not answer; connecting anew']);
  });
});
