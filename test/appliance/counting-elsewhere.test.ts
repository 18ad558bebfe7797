import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { CountingElsewhere } from '../../src/appliance/counting-elsewhere.ts';
import type { Node } from '../../src/stores/sql/nodes.ts';
import { ManualTime, settled } from '../support/manual-time.ts';
import { RecordedLog } from '../support/recorded-log.ts';

const LOOK_MS = 3000;
const LOOKS = 6;

const node = (id: string, counters: Node['counters'] = 'redis'): Node => ({
  id,
  host: `host-${id}`,
  pid: 7,
  pidSpace: '',
  counters,
});

describe('nodes that count in another Redis', () => {
  let time: ManualTime;
  let log: RecordedLog;
  let others: Node[];
  let here: Set<string> | undefined;
  let elsewhere: CountingElsewhere;

  beforeEach(() => {
    time = new ManualTime();
    log = new RecordedLog();
    others = [];
    here = new Set(['own']);
    elsewhere = new CountingElsewhere({
      others: () => others,
      countingHere: async () => {
        if (here === undefined) throw new Error('Redis is away');
        return here;
      },
      timers: time,
      log,
    });
  });

  async function look(times: number): Promise<void> {
    for (let count = 0; count < times; count++) {
      await time.advance(LOOK_MS);
      await settled();
    }
  }
  const found = () => elsewhere.nodes.map(({ id }) => id);

  it('are told once, after they were missing for 18 s, and no more when they are there', async () => {
    others = [node('a'), node('b')];
    here?.add('a');
    await look(LOOKS - 1);
    assert.deepEqual(found(), []);
    await look(1);
    assert.deepEqual(found(), ['b']);
    await look(3);
    assert.equal(log.lines.length, 1);
    assert.match(log.lines[0] ?? '', /^error: another node .* BRUME_REDIS_URL$/);
    here?.add('b');
    await look(1);
    assert.deepEqual(found(), []);
    assert.match(log.lines[1] ?? '', /^info: all nodes /);
  });

  it('are not those that were missing for a moment, as after a flush, or that have gone', async () => {
    others = [node('a')];
    await look(LOOKS - 1);
    here?.add('a');
    await look(1);
    here?.delete('a');
    await look(LOOKS - 1);
    others = [];
    await look(LOOKS);
    assert.deepEqual([found(), log.lines], [[], []]);
  });

  it('are neither known nor forgotten while this Redis is away', async () => {
    others = [node('a')];
    await look(LOOKS);
    here = undefined;
    others = [node('a'), node('b')];
    await look(2 * LOOKS);
    assert.deepEqual(found(), ['a']);
  });

  it('is nothing that concerns a node that counts in its own memory', async () => {
    others = [node('a', 'embedded')];
    await look(2 * LOOKS);
    assert.deepEqual(found(), []);
  });

  it('are not looked for once it has stopped', async () => {
    others = [node('a')];
    elsewhere.stop();
    await look(2 * LOOKS);
    assert.deepEqual(found(), []);
  });
});
