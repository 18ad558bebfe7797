import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CountersError } from '../../../src/limiter/counters.ts';
import type { Merge } from '../../../src/limiter/merge.ts';
import { Merging } from '../../../src/stores/redis/merging.ts';
import { type Attempt, type ScriptCaller, SlotMoving } from '../../../src/stores/redis/script-caller.ts';
import { TimedCalls } from '../../../src/stores/redis/timed-calls.ts';
import { setOf } from '../../support/counter-engines.ts';

const SET = setOf({ algorithm: 'fixed_window', limit: 10, windowMs: 60_000 });
const NOW_MS = 1_800_000_000_000;

const merges = (...keys: string[]): Merge[] =>
  keys.map((key) => ({
    key,
    set: SET,
    counted: new Map([
      [
        'fixed-window',
        { algorithm: 'fixed_window', identity: 60_000, startMs: NOW_MS - (NOW_MS % 60_000), used: 1 },
      ],
    ]),
  }));

/** Answers each call by what `answer` says of its state keys. */
function mergingBy(
  answer: (keys: readonly string[], isDivisible: boolean) => unknown,
  groupOf?: (key: string) => string,
) {
  const calls: (readonly string[])[] = [];
  const within: ScriptCaller['within'] = async (_key, call, timing) => {
    const attempt: Attempt = {
      storeNowMs: NOW_MS,
      deadlineMs: NOW_MS + 50,
      observe: () => undefined,
      evaluate: async (_script, keys) => {
        calls.push(keys);
        const reply = answer(keys, timing?.isDivisible === true);
        if (reply instanceof Error) throw reply;
        return reply;
      },
    };
    try {
      return await call(() => attempt);
    } catch (error) {
      if (error instanceof CountersError) throw error;
      throw new CountersError('unavailable', String(error), { cause: error });
    }
  };
  const merging = new Merging(new TimedCalls({ within }, () => NOW_MS), groupOf);
  return { merging, calls };
}

const standing = (count: number) => [NOW_MS, 1, ...Array.from({ length: count }, () => ['9', '5']).flat()];
const replyError = (text: string) => Object.assign(new Error(text), { name: 'ReplyError' });
const faultsOf = (answers: readonly unknown[]) =>
  answers.map((answer) => (answer instanceof CountersError ? answer.fault : 'merged'));

describe('merging in Redis', () => {
  it('is sent once: where nobody knows whether it has run, it says so', async () => {
    for (const error of [
      new CountersError('timeout', 'no answer'),
      new Error('Connection is closed.'),
      new RangeError('a reply that nobody understands'),
    ]) {
      const { merging, calls } = mergingBy(() => error);
      assert.deepEqual(
        faultsOf(await merging.merge(merges('aa', 'bb'))),
        ['timeout', 'timeout'],
        String(error),
      );
      assert.equal(calls.length, 1);
    }
  });

  it('what the server refused, or what never left this process, has not run', async () => {
    for (const text of [
      'READONLY You can not write',
      'LOADING Redis is loading',
      'TRYAGAIN the slot moves',
    ]) {
      const { merging } = mergingBy(() => replyError(text));
      assert.deepEqual(faultsOf(await merging.merge(merges('aa'))), ['unavailable'], text);
    }
    const { merging } = mergingBy(() => new Error("Stream isn't writeable and enableOfflineQueue is false"));
    assert.deepEqual(faultsOf(await merging.merge(merges('aa'))), ['unavailable']);
    const full = mergingBy(() => new CountersError('full', 'no memory', { cause: replyError('OOM') }));
    assert.deepEqual(faultsOf(await full.merging.merge(merges('aa'))), ['full']);
  });

  it('one that came too late has not run: it is sent again, and once only', async () => {
    const { merging, calls } = mergingBy(() => [NOW_MS, 0]);
    assert.deepEqual(faultsOf(await merging.merge(merges('aa'))), ['unavailable']);
    assert.equal(calls.length, 2);
  });

  it('a call has the keys of one group; that one fails is no matter of the others', async () => {
    const { merging, calls } = mergingBy(
      (keys) => (keys.some((key) => key.endsWith('bb')) ? replyError('CLUSTERDOWN') : standing(keys.length)),
      (key) => key.slice(-1),
    );
    const answers = await merging.merge(merges('aa', 'bb', 'ca'));
    assert.deepEqual(faultsOf(answers), ['merged', 'unavailable', 'merged']);
    assert.deepEqual(
      calls.map((keys) => keys.length),
      [2, 1],
    );
  });

  it('where some keys are on their way to another server, each is merged by itself', async () => {
    const { merging, calls } = mergingBy((keys, isDivisible) =>
      isDivisible ? new SlotMoving() : standing(keys.length),
    );
    assert.deepEqual(faultsOf(await merging.merge(merges('aa', 'bb'))), ['merged', 'merged']);
    assert.deepEqual(
      calls.map((keys) => keys.length),
      [2, 1, 1],
    );
  });
});
