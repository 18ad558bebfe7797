import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { redirectionOf, SlotMap, slotRangesOf } from '../../../../src/stores/redis/cluster/slot-map.ts';

const ASKED = { host: 'seed', port: 7000 };

function mapOf(...ranges: unknown[]): SlotMap {
  return new SlotMap(slotRangesOf(ranges, ASKED));
}

describe('the reply to CLUSTER SLOTS', () => {
  it('tells who has which slot, and all nodes', () => {
    const map = mapOf(
      [0, 8191, ['10.0.0.1', 6379, 'a', []], ['10.0.0.3', 6379, 'c', []]],
      [8192, 16_383, ['::1', 6380, 'b', []]],
    );
    assert.equal(map.masterOf(8191), '10.0.0.1:6379');
    assert.equal(map.masterOf(8192), '[::1]:6380');
    assert.deepEqual([...map.nodes.keys()], ['10.0.0.1:6379', '10.0.0.3:6379', '[::1]:6380']);
    assert.ok(map.isWhole);
    assert.deepEqual(
      map.shards.map(({ slots }) => slots),
      ['0-8191', '8192-16383'],
    );
  });

  for (const host of [null, '', '?']) {
    it(`takes ${JSON.stringify(host)} for the host that was asked, unless the address stands beside it`, () => {
      const map = mapOf([0, 1, [host, 7001, 'a', []]], [2, 3, [host, 7002, 'b', ['ip', '10.0.0.9']]]);
      assert.equal(map.masterOf(0), 'seed:7001');
      assert.equal(map.masterOf(2), '10.0.0.9:7002');
      assert.equal(map.isWhole, false);
      assert.equal(map.unowned, '4-16383');
      assert.equal(map.masterOf(4), undefined);
    });
  }

  it('goes by names where the cluster gives them', () => {
    assert.equal(
      mapOf([0, 0, ['node-1.internal', 6379, 'a', ['ip', '10.0.0.1']]]).masterOf(0),
      'node-1.internal:6379',
    );
  });

  for (const reply of ['OK', [[0]], [[0, 16_384, ['h', 1, 'a']]], [[5, 4, ['h', 1, 'a']]], [[0, 1]]]) {
    it(`is refused where it is ${JSON.stringify(reply)}`, () => {
      assert.throws(() => slotRangesOf(reply, ASKED), RangeError);
    });
  }

  it('is corrected by a redirection', () => {
    const map = mapOf([0, 100, ['a', 1, 'a']], [101, 16_383, ['b', 1, 'b']]);
    map.correct(50, 'b:1');
    assert.equal(map.masterOf(50), 'b:1');
    assert.deepEqual(
      map.shards.map(({ master, slots }) => `${master} ${slots}`),
      ['a:1 0-49,51-100', 'b:1 50,101-16383'],
    );
  });
});

describe('a redirection', () => {
  it('names slot and node', () => {
    assert.deepEqual(redirectionOf('MOVED 3999 127.0.0.1:6381', ASKED), {
      kind: 'moved',
      slot: 3999,
      node: { host: '127.0.0.1', port: 6381 },
    });
    assert.deepEqual(redirectionOf('ASK 1 ::1:6381', ASKED)?.node, { host: '::1', port: 6381 });
  });

  it('without a host is to the one that was asked', () => {
    assert.deepEqual(redirectionOf('MOVED 3999 :6381', ASKED)?.node, { host: 'seed', port: 6381 });
    assert.deepEqual(redirectionOf('MOVED 3999 ?:6381', ASKED)?.node, { host: 'seed', port: 6381 });
  });

  it('is none in what is no redirection', () => {
    assert.equal(redirectionOf('CLUSTERDOWN Hash slot not served', ASKED), undefined);
    assert.equal(redirectionOf('MOVED 99999 h:1', ASKED), undefined);
  });
});
