import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RecentMap } from '../../src/limiter/recent-map.ts';

test('it never holds more than its bound, and always the last half of it', () => {
  const map = new RecentMap<number>(100);
  for (let n = 0; n < 1000; n++) {
    map.set(`k${n}`, n);
    assert.ok(map.size <= 100);
    for (let back = 0; back < Math.min(50, n); back++) assert.equal(map.get(`k${n - back}`), n - back);
  }
});

test('what is used stays, however many others come', () => {
  const map = new RecentMap<string>(10);
  map.set('kept', 'yes');
  for (let n = 0; n < 100; n++) {
    assert.equal(map.get('kept'), 'yes');
    map.set(`k${n}`, '');
  }
  map.delete('kept');
  assert.equal(map.get('kept'), undefined);
});
