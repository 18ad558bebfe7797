import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SweptMap } from '../../../src/stores/local/swept-map.ts';
import { heapUsed } from '../../support/heap-used.ts';

const MB = 1024 * 1024;

const mapOf = (ends: readonly number[]) => {
  const map = new SweptMap<number>((endMs, nowMs) => endMs <= nowMs);
  ends.forEach((endMs, index) => {
    map.set(`id-${index}`, endMs);
  });
  return map;
};

describe('a map that is swept', () => {
  it('looks at so many at a time, goes on where it stopped, and begins anew at its end', () => {
    const map = mapOf([1, 9, 1, 1]);
    map.sweep(2, 5);
    assert.deepEqual([...map.values()], [9, 1, 1]);
    map.sweep(2, 5);
    assert.deepEqual([...map.values()], [9]);
    map.set('late', 2);
    for (let step = 0; step < 4; step++) map.sweep(1, 9);
    assert.equal(map.size, 0);
  });

  it('keeps what it was told to forget, and what came meanwhile, apart from where it stopped', () => {
    const map = mapOf([9, 9, 9]);
    map.sweep(1, 5);
    for (const key of ['id-0', 'id-1', 'id-2']) map.delete(key);
    map.set('new', 1);
    map.sweep(1, 5);
    assert.equal(map.size, 0);
  });

  it('holds nothing of what it forgot, wherever it stopped', async () => {
    const before = await heapUsed();
    const map = new SweptMap<number[]>(() => false);
    const count = 20_000;
    for (let n = 0; n < count; n++) {
      map.set(
        `id-${n}`,
        Array.from({ length: 100 }, () => n),
      );
      map.sweep(2, 0);
    }
    assert.ok((await heapUsed()) - before > 10 * MB);
    for (let n = 0; n < count; n++) map.delete(`id-${n}`);
    assert.ok((await heapUsed()) - before < MB);
    assert.equal(map.size, 0);
  });
});
