import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../../../../src/limiter/clock.ts';
import { ClusterNodes } from '../../../../src/stores/redis/cluster/cluster-nodes.ts';
import { MapKeeper } from '../../../../src/stores/redis/cluster/map-keeper.ts';
import { placeText, type RedisEndpoint } from '../../../../src/stores/redis/redis-address.ts';
import type { RedisLink } from '../../../../src/stores/redis/redis-link.ts';
import { RecordedLog } from '../../../support/recorded-log.ts';

/** What each node says who has all slots, and in which epoch. */
const views = new Map<string, { readonly master: string; readonly epoch: number }>();
const closed: string[] = [];

function fakeLink(endpoint: RedisEndpoint): RedisLink {
  const name = placeText(endpoint);
  const fake = {
    get isConnected() {
      return views.has(name);
    },
    onConnect: () => undefined,
    close: () => closed.push(name),
    async ask(_name: string, topic: string) {
      const view = views.get(name) ?? assert.fail('it is not connected');
      if (topic === 'INFO') return `cluster_state:ok\r\ncluster_current_epoch:${view.epoch}\r\n`;
      const [host, port] = view.master.split(':');
      return [[0, 16_383, [host, Number(port), 'id', []]]];
    },
  };
  return fake as unknown as RedisLink;
}

describe('the map of a cluster', () => {
  let nowMs: number;
  let nodes: ClusterNodes;
  let keeper: MapKeeper;
  beforeEach(() => {
    nowMs = 0;
    views.clear();
    closed.length = 0;
    const clock = { monotonicMs: () => nowMs };
    const seeds = ['a', 'b'].map((host) => ({ host, port: 1 }));
    nodes = new ClusterNodes({ seeds, connect: fakeLink, clock, onConnect: () => undefined });
    keeper = new MapKeeper({
      nodes,
      clock: systemClock,
      log: new RecordedLog(),
      refreshMs: 5,
      onChange: () => undefined,
    });
  });
  afterEach(() => keeper.close());

  async function until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      keeper.hurry();
      await delay(5);
    }
  }

  it('is read from whichever node is connected, and follows a failover', async () => {
    views.set('b:1', { master: 'a:1', epoch: 3 });
    await until(() => keeper.map.masterOf(7) === 'a:1');
    views.set('b:1', { master: 'b:1', epoch: 4 });
    await until(() => keeper.map.masterOf(7) === 'b:1');
  });

  it('goes by the later epoch, however often a node that was cut off tells of an earlier one', async () => {
    views.set('b:1', { master: 'b:1', epoch: 4 });
    await until(() => keeper.map.masterOf(7) === 'b:1');
    views.set('a:1', { master: 'a:1', epoch: 3 });
    for (let count = 0; count < 8; count++) {
      keeper.hurry();
      await delay(30);
      assert.equal(keeper.map.masterOf(7), 'b:1');
    }
    views.set('a:1', { master: 'a:1', epoch: 5 });
    await until(() => keeper.map.masterOf(7) === 'a:1');
  });

  it('is that of another cluster once nobody speaks of the former one any more', async () => {
    views.set('a:1', { master: 'a:1', epoch: 90 });
    await until(() => keeper.map.masterOf(7) === 'a:1');
    views.clear();
    views.set('b:1', { master: 'b:1', epoch: 1 });
    await until(() => keeper.map.masterOf(7) === 'b:1');
  });

  it('closes nodes that left, after a while', async () => {
    views.set('a:1', { master: 'a:1', epoch: 1 });
    await until(() => keeper.map.masterOf(7) === 'a:1');
    assert.deepEqual(closed, []);
    nowMs = 14_000;
    nodes.list(keeper.map.nodes.values());
    assert.deepEqual(closed, []);
    nowMs = 15_001;
    nodes.list(keeper.map.nodes.values());
    assert.deepEqual(closed, ['b:1']);
    assert.deepEqual(
      nodes.all.map(({ name }) => name),
      ['a:1'],
    );
  });
});
