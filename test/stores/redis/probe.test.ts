import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Redis } from 'ioredis';
import { Probe } from '../../../src/stores/redis/probe.ts';

const TIMEOUT_MS = 20;

type Answer = () => Promise<unknown>;

/** A server that gives these answers, one after the other, and the last one for ever. */
function answering(...answers: readonly Answer[]) {
  const asked = { times: 0, atOnceMax: 0 };
  let atOnce = 0;
  const evalsha = async () => {
    const answer = (answers[asked.times] ?? answers.at(-1)) as Answer;
    asked.times++;
    asked.atOnceMax = Math.max(asked.atOnceMax, ++atOnce);
    try {
      return await answer();
    } finally {
      atOnce--;
    }
  };
  return { asked, client: { evalsha } as unknown as Redis };
}

const inTime: Answer = async () => 1;

/** After the time of a check has been called up, however busy this machine is: each timer takes a turn of its own. */
const tooLate: Answer = async () => {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setTimeout(resolve, 2 * TIMEOUT_MS));
  return 1;
};

function error(message: string, name = 'ReplyError'): Answer {
  return async () => {
    throw Object.assign(new Error(message), { name });
  };
}

function probe(mayBeReplica = false): Probe {
  return new Probe({ key: () => '{brume}probe', timeoutMs: TIMEOUT_MS, mayBeReplica });
}

describe('the probe of a new connection', () => {
  it('passes when it is answered as soon as a check needs it, and is asked for one at a time', async () => {
    const { asked, client } = answering(tooLate, tooLate, inTime);
    assert.equal(await probe().pass(client), undefined);
    assert.deepEqual(asked, { times: 3, atOnceMax: 1 });
  });

  it('tells how long an answer took that came too late', async () => {
    const told: string[] = [];
    await probe().pass(answering(tooLate, inTime).client, ({ message }) => void told.push(message));
    assert.equal(told.length, 1);
    assert.match(told[0] ?? '', /^it answers in \d+ ms, and BRUME_REDIS_TIMEOUT_MS is 20$/);
  });

  it('passes with an error that costs a check no time, and tells it', async () => {
    for (const said of [
      'OOM command not allowed',
      'MISCONF',
      'NOREPLICAS',
      'NOPERM',
      'BUSY',
      'CLUSTERDOWN',
    ]) {
      const refusal = await probe().pass(answering(error(said)).client);
      assert.equal(refusal?.message, said);
    }
  });

  it('does not pass where the connection is to be given up, or has ended', async () => {
    for (const said of ['READONLY', 'LOADING', 'MASTERDOWN', 'NOAUTH'])
      await assert.rejects(probe().pass(answering(error(said)).client), { message: said });
    const ended = error('Connection is closed.', 'Error');
    await assert.rejects(probe().pass(answering(ended).client), { message: 'Connection is closed.' });
    await assert.rejects(probe().pass(answering(tooLate, ended).client), {
      message: 'Connection is closed.',
    });
  });

  it('passes at a node of a cluster that says who has the key, and is told by one that is asked alone', async () => {
    const said = 'MOVED 1 127.0.0.1:7000';
    assert.equal(await probe(true).pass(answering(error(said)).client), undefined);
    assert.equal((await probe(false).pass(answering(error(said)).client))?.message, said);
  });
});
