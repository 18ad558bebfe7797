import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { BrumeError } from '../../../src/errors/catalogue.ts';
import { KeyCache } from '../../../src/stores/cache/key-cache.ts';
import type { ApiKey, KeyDirectory } from '../../../src/tenancy/api-key.ts';
import { brumeError } from '../../support/brume-error.ts';
import { ManualTime, settled } from '../../support/manual-time.ts';

const KEY_MS = 60_000;
const UNKNOWN_MS = 5000;
const TIMEOUT_MS = 250;

const unavailable = brumeError('store_unavailable');

/** A directory in memory that counts lookups, and can be away or slow. */
class FakeDirectory implements KeyDirectory {
  readonly keys = new Map<string, ApiKey>();
  lookups = 0;
  isAway = false;
  gate: Promise<void> = Promise.resolve();

  async find(sha256: string): Promise<ApiKey | undefined> {
    this.lookups += 1;
    const found = this.keys.get(sha256);
    await this.gate;
    if (this.isAway) throw new BrumeError('store_unavailable');
    return found;
  }

  add(sha256: string, members: Partial<ApiKey> = {}): ApiKey {
    const key: ApiKey = {
      id: `key_${sha256}`,
      projectId: 'p',
      name: 'k',
      kind: 'service',
      scopes: ['limit'],
      prefix: 'brume_sk_',
      createdAtMs: 0,
      expiresAtMs: null,
      revokedAtMs: null,
      ...members,
    };
    this.keys.set(sha256, key);
    return key;
  }
}

describe('the key cache', () => {
  let directory: FakeDirectory;
  let time: ManualTime;
  let cache: KeyCache;

  beforeEach(() => {
    directory = new FakeDirectory();
    time = new ManualTime();
    cache = newCache();
  });

  function newCache(random = () => 0): KeyCache {
    return new KeyCache({
      directory,
      clock: time,
      timers: time,
      keyCacheMs: KEY_MS,
      unknownKeyCacheMs: UNKNOWN_MS,
      keyLookupTimeoutMs: TIMEOUT_MS,
      random,
    });
  }

  it('asks once for a key until its time is over', async () => {
    const key = directory.add('a');
    for (let times = 0; times < 10; times++) assert.equal(await cache.find('a'), key);
    await time.advance(KEY_MS - 1);
    assert.equal(await cache.find('a'), key);
    assert.equal(directory.lookups, 1);
    await time.advance(1);
    assert.equal(await cache.find('a'), key);
    assert.equal(directory.lookups, 2);
  });

  it('lets entries made together expire one by one, none later than its time', async () => {
    const early = newCache(() => 0.999);
    directory.add('a');
    await early.find('a');
    await time.advance(KEY_MS * 0.91);
    await early.find('a');
    assert.equal(directory.lookups, 2);
  });

  it('remembers an unknown key briefly', async () => {
    for (let times = 0; times < 10; times++) assert.equal(await cache.find('x'), undefined);
    assert.equal(directory.lookups, 1);
    await time.advance(UNKNOWN_MS);
    assert.equal(await cache.find('x'), undefined);
    assert.equal(directory.lookups, 2);
  });

  it('is not emptied of real keys by a flood of invented ones', async () => {
    const key = directory.add('real');
    await cache.find('real');
    for (let n = 0; n < 20_000; n++) await cache.find(`invented-${n}`);
    const lookups = directory.lookups;
    assert.equal(await cache.find('real'), key);
    assert.equal(directory.lookups, lookups);
    await cache.find('invented-0');
    assert.equal(directory.lookups, lookups + 1);
  });

  it('looks a key up once for everybody who asks meanwhile', async () => {
    const key = directory.add('a');
    const found = await Promise.all(Array.from({ length: 100 }, () => cache.find('a')));
    assert.ok(found.every((one) => one === key));
    assert.equal(directory.lookups, 1);
  });

  it('serves no revoked and no expired key, to the millisecond', async () => {
    directory.add('revoked', { revokedAtMs: 1 });
    const expiring = directory.add('expiring', { expiresAtMs: time.nowMs() + 1000 });
    assert.equal(await cache.find('revoked'), undefined);
    await time.advance(999);
    assert.equal(await cache.find('expiring'), expiring);
    await time.advance(1);
    assert.equal(await cache.find('expiring'), undefined);
  });

  it('drops the keys of a changed project and no others', async () => {
    directory.add('a');
    const other = directory.add('b', { projectId: 'q' });
    await cache.find('a');
    await cache.find('b');
    directory.add('a', { revokedAtMs: 1 });
    cache.invalidate((id) => id === 'p');
    assert.equal(await cache.find('a'), undefined);
    assert.equal(await cache.find('b'), other);
    assert.equal(directory.lookups, 3);
  });

  it('finds a key that was made after it had been asked for in vain', async () => {
    assert.equal(await cache.find('a'), undefined);
    const key = directory.add('a');
    cache.invalidate((id) => id === 'p');
    assert.equal(await cache.find('a'), key);
  });

  it('keeps nothing from a lookup that began before an invalidation, and nobody joins it', async () => {
    const before = directory.add('a');
    const { promise, resolve } = Promise.withResolvers<void>();
    directory.gate = promise;
    const early = cache.find('a');
    await settled();
    directory.add('a', { revokedAtMs: 1 });
    cache.invalidate((id) => id === 'p');
    const late = cache.find('a');
    resolve();
    assert.equal(await early, before);
    assert.equal(await late, undefined);
    assert.equal(await cache.find('a'), undefined);
    assert.equal(directory.lookups, 2);
  });

  it('rejects for a key that it cannot look up, and asks again the next time', async () => {
    const key = directory.add('a');
    directory.isAway = true;
    await assert.rejects(cache.find('a'), unavailable);
    directory.isAway = false;
    assert.equal(await cache.find('a'), key);
  });

  it('goes on serving a known key past its time while the store is away, but not past its expiry', async () => {
    const key = directory.add('a', { expiresAtMs: time.nowMs() + 3 * KEY_MS });
    await cache.find('a');
    directory.isAway = true;
    await time.advance(2 * KEY_MS);
    assert.equal(await cache.find('a'), key);
    const lookups = directory.lookups;
    for (let times = 0; times < 10; times++) await cache.find('a');
    assert.equal(directory.lookups, lookups, 'a store that is away is not asked for each check');
    await time.advance(KEY_MS);
    assert.equal(await cache.find('a'), undefined);
  });

  it('takes up the truth once the store is back', async () => {
    directory.add('a');
    await cache.find('a');
    directory.isAway = true;
    await time.advance(KEY_MS);
    await cache.find('a');
    directory.isAway = false;
    directory.keys.delete('a');
    await time.advance(1000);
    await cache.find('a');
    await settled();
    assert.equal(await cache.find('a'), undefined);
  });

  it('waits for a hanging store no longer than the deadline, with one lookup for all', async () => {
    directory.add('a');
    directory.gate = new Promise(() => undefined);
    const first = assert.rejects(cache.find('a'), unavailable);
    await time.advance(TIMEOUT_MS);
    await first;
    const second = assert.rejects(cache.find('a'), unavailable);
    await time.advance(TIMEOUT_MS);
    await second;
    assert.equal(directory.lookups, 1);
    assert.equal(time.timerCount, 0);
  });

  it('keeps what a slow lookup brings after the deadline', async () => {
    const key = directory.add('a');
    const { promise, resolve } = Promise.withResolvers<void>();
    directory.gate = promise;
    const late = assert.rejects(cache.find('a'), unavailable);
    await time.advance(TIMEOUT_MS);
    await late;
    resolve();
    await settled();
    assert.equal(await cache.find('a'), key);
    assert.equal(directory.lookups, 1);
  });

  it('lets nobody wait for a known key once a lookup has failed, while the store is away', async () => {
    const key = directory.add('a');
    const other = directory.add('b');
    await cache.find('a');
    await cache.find('b');
    directory.gate = new Promise(() => undefined);
    await time.advance(KEY_MS);
    const first = cache.find('a');
    await time.advance(TIMEOUT_MS);
    assert.equal(await first, key, 'the first one waits until the deadline');
    assert.equal(await cache.find('b'), other, 'the others are answered at once');
    await time.advance(2000);
    assert.equal(await cache.find('a'), key);
    assert.equal(time.timerCount, 0, 'nobody waits');
  });

  it('serves no key from before an invalidation because its lookup failed', async () => {
    directory.add('a');
    await cache.find('a');
    await time.advance(KEY_MS);
    directory.gate = new Promise(() => undefined);
    const asked = assert.rejects(cache.find('a'), unavailable);
    cache.invalidate((id) => id === 'p');
    await time.advance(TIMEOUT_MS);
    await asked;
  });

  it('looks every key up again after a flush, and serves what it knows if it cannot', async () => {
    const key = directory.add('a');
    directory.add('revoked');
    await cache.find('a');
    await cache.find('revoked');
    assert.equal(await cache.find('unknown'), undefined);
    const made = directory.add('unknown');
    directory.add('revoked', { revokedAtMs: 1 });
    cache.recheckAll();
    assert.equal(await cache.find('revoked'), undefined);
    assert.equal(await cache.find('unknown'), made);
    directory.isAway = true;
    assert.equal(await cache.find('a'), key);
  });

  it('keeps nothing from a lookup that began before a flush', async () => {
    directory.add('a');
    const { promise, resolve } = Promise.withResolvers<void>();
    directory.gate = promise;
    const early = cache.find('a');
    await settled();
    cache.recheckAll();
    directory.add('a', { revokedAtMs: 1 });
    resolve();
    await early;
    assert.equal(await cache.find('a'), undefined);
  });

  it('with a hanging store and a flood of keys answers each by the deadline, and asks for few', async () => {
    directory.gate = new Promise(() => undefined);
    const refused = Array.from({ length: 2000 }, (_, n) =>
      assert.rejects(cache.find(`flood-${n}`), unavailable),
    );
    await settled();
    assert.ok(cache.stats().lookupsUnderWay <= 8);
    await time.advance(TIMEOUT_MS);
    await Promise.all(refused);
    assert.ok(directory.lookups <= 8, `${directory.lookups} lookups reached the store`);
    assert.equal(cache.stats().lookupsWaiting, 0);
    assert.equal(time.timerCount, 0);
  });

  it('looks up everything that fits in time once the store is merely busy', async () => {
    const keys = Array.from({ length: 1000 }, (_, n) => directory.add(`k${n}`));
    const found = await Promise.all(keys.map((_, n) => cache.find(`k${n}`)));
    assert.deepEqual(found, keys);
  });

  it('lets a known key go before a flood of invented ones', async () => {
    const key = directory.add('known');
    await cache.find('known');
    await time.advance(KEY_MS);
    const { promise, resolve } = Promise.withResolvers<void>();
    directory.gate = promise;
    const order: string[] = [];
    const invented = Array.from({ length: 100 }, (_, n) =>
      cache.find(`invented-${n}`).then(() => order.push('invented')),
    );
    const known = cache.find('known').then((found) => {
      assert.equal(found, key);
      order.push('known');
    });
    resolve();
    await Promise.all([known, ...invented]);
    assert.ok(order.indexOf('known') <= 16, `it came after ${order.indexOf('known')} others`);
  });

  it('counts what it did', async () => {
    directory.add('a');
    await cache.find('a');
    await cache.find('a');
    await cache.find('x');
    await cache.find('x');
    directory.isAway = true;
    await time.advance(KEY_MS);
    await cache.find('a');
    await assert.rejects(cache.find('y'));
    assert.deepEqual(cache.stats(), {
      size: 1,
      unknown: 1,
      hits: 3,
      misses: 4,
      staleHits: 1,
      evictions: 0,
      failures: 2,
      lookups: 4,
      lookupsUnderWay: 0,
      lookupsWaiting: 0,
    });
  });
});
