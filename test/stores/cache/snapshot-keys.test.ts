import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { BrumeError } from '../../../src/errors/catalogue.ts';
import { SnapshotCache } from '../../../src/stores/cache/snapshot-cache.ts';
import { SnapshotKeys } from '../../../src/stores/cache/snapshot-keys.ts';
import { ManualTime, settled } from '../../support/manual-time.ts';
import { RecordedLog } from '../../support/recorded-log.ts';
import { FakeSource } from '../../support/snapshot-source.ts';

describe('keys of the snapshot', () => {
  const SHA256 = 'a'.repeat(64);
  let source: FakeSource;
  let time: ManualTime;
  let snapshot: SnapshotCache;
  let answer: () => Promise<undefined>;
  let keys: SnapshotKeys;

  beforeEach(async () => {
    source = new FakeSource();
    time = new ManualTime();
    source.addKey('p', SHA256, time.nowMs() + 10_000);
    snapshot = new SnapshotCache({
      source,
      clock: time,
      timers: time,
      log: new RecordedLog(),
      propagationMs: 1000,
    });
    await snapshot.start();
    keys = new SnapshotKeys({ find: () => answer() }, { snapshot, clock: time });
  });

  const away = () => Promise.reject(new BrumeError('store_unavailable'));

  it('are not asked while the directory answers, also if it says that there is no such key', async () => {
    answer = async () => undefined;
    assert.equal(await keys.find(SHA256), undefined);
  });

  it('stand in when it fails; what neither knows is not known to anybody', async () => {
    answer = away;
    assert.equal((await keys.find(SHA256))?.id, `key_${SHA256}`);
    await assert.rejects(keys.find('b'.repeat(64)), { code: 'store_unavailable' });
  });

  it('are not waited for where the store is known to be away, and what the directory remembers goes first', async () => {
    source.isAway = true;
    await time.advance(1000);
    answer = () => new Promise(() => undefined);
    assert.equal((await keys.find(SHA256))?.id, `key_${SHA256}`);
    answer = async () => undefined;
    assert.equal(await keys.find(SHA256), undefined);
  });

  it('end when they expire, and go with a revocation', async () => {
    answer = away;
    await time.advance(9_999);
    assert.ok(await keys.find(SHA256));
    await time.advance(1);
    assert.equal(await keys.find(SHA256), undefined);
    source.addKey('p', 'c'.repeat(64));
    await snapshot.refresh();
    assert.ok(await keys.find('c'.repeat(64)));
    source.keys.delete('c'.repeat(64));
    source.change('p');
    await snapshot.refresh();
    await settled();
    await assert.rejects(keys.find('c'.repeat(64)), { code: 'store_unavailable' });
  });
});
