import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CountersError } from '../../../../src/limiter/counters.ts';
import { CheckpointKeeper } from '../../../../src/stores/checkpoints/checkpoint-keeper.ts';
import type { RestorableCounters } from '../../../../src/stores/checkpoints/quota-checkpoint.ts';
import { ClusterEpoch } from '../../../../src/stores/redis/cluster/cluster-epoch.ts';
import type { Attempt, CallerPart, ScriptCaller } from '../../../../src/stores/redis/script-caller.ts';
import { ManualTime, settled } from '../../../support/manual-time.ts';
import { MemoryCheckpoints } from '../../../support/memory-checkpoints.ts';
import { RecordedLog } from '../../../support/recorded-log.ts';

const CHECKPOINT_MS = 5000;
const TAGS = ['{p0}', '{p1}', '{p2}'];

/** Shards that keep marks as lua/epoch.lua does, and a node that looks after them. */
async function cluster() {
  const time = new ManualTime();
  const log = new RecordedLog();
  const marks = new Map<string, { mark: string; isWhole: boolean }>();
  const connected = new Set<string>();
  const listeners: (() => void)[] = [];
  const parts = (): readonly CallerPart[] =>
    TAGS.map((tag) => ({
      tag,
      name: tag,
      isConnected: connected.has(tag),
      has: (key) => key.startsWith(tag),
    }));
  const reply = (key: string, [call, given = '']: readonly string[]) => {
    const tag = key.slice(0, key.indexOf('}') + 1);
    if (!connected.has(tag)) throw new CountersError('unavailable', 'away');
    const known = marks.get(tag);
    if (call === 'look') return known?.isWhole === true ? known.mark : '';
    if (call === 'begin' && known === undefined) marks.set(tag, { mark: given, isWhole: false });
    if (call === 'finish' && known?.mark === given) marks.set(tag, { mark: given, isWhole: true });
    return call === 'finish' && known?.mark !== given ? '' : (marks.get(tag)?.mark ?? '');
  };
  const caller = {
    within: async (key: string, call: (attempt: () => Attempt) => Promise<unknown>) =>
      call(
        () =>
          ({
            evaluate: async (_script, _keys, args) => reply(key, args.map(String)),
          }) as Partial<Attempt> as Attempt,
      ),
    onConnect: (listener: () => void) => void listeners.push(listener),
  } as Partial<ScriptCaller> as ScriptCaller;
  const node = () => {
    const epoch = new ClusterEpoch(caller, parts);
    const counters = { epoch, restore: async () => 0 } as Partial<RestorableCounters> as RestorableCounters;
    return new CheckpointKeeper({
      counters,
      store: new MemoryCheckpoints(),
      clock: time,
      timers: time,
      log,
      checkpointMs: CHECKPOINT_MS,
    });
  };
  const keeper = node();
  await keeper.start();
  return {
    keeper,
    node,
    marks,
    /** It becomes known to the nodes that the shards are there. */
    async connect(...tags: readonly string[]) {
      for (const tag of tags) connected.add(tag);
      for (const listener of listeners) listener();
      await settled();
      await time.advance(CHECKPOINT_MS);
    },
    disconnect: (tag: string) => connected.delete(tag),
    warnings: () => log.lines.filter((line) => String(line).startsWith('warn')).length,
  };
}

describe('the marks of a cluster', () => {
  it('of shards that are reached one after the other, at the first start and at the next, are no loss', async () => {
    const { keeper, node, connect, marks, disconnect, warnings } = await cluster();
    for (const tag of TAGS) await connect(tag);
    assert.deepEqual(
      TAGS.map((tag) => marks.get(tag)?.isWhole),
      [true, true, true],
    );
    await keeper.stop();
    for (const tag of TAGS) disconnect(tag);
    const next = node();
    await next.start();
    for (const tag of TAGS) await connect(tag);
    assert.deepEqual([keeper.stats().losses, next.stats().losses, warnings()], [0, 0, 0]);
    await next.stop();
  });

  it('that are gone are one loss each time, also of a shard that was away meanwhile', async () => {
    const { keeper, connect, disconnect, marks, warnings } = await cluster();
    await connect(...TAGS);
    marks.delete('{p1}');
    await connect();
    assert.equal(keeper.stats().losses, 1);
    disconnect('{p2}');
    await connect();
    assert.equal(keeper.stats().losses, 1, 'it is away, and may have all it had');
    marks.delete('{p2}');
    await connect('{p2}');
    await connect();
    assert.deepEqual([keeper.stats().losses, warnings()], [2, 2]);
    assert.deepEqual(
      TAGS.map((tag) => marks.get(tag)?.isWhole),
      [true, true, true],
    );
    await keeper.stop();
  });
});
